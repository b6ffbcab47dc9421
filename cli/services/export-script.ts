import { readOwnText } from '../adapters/own-files.ts';

/** Returns the Python script that exports a transformers model to ONNX. */
export const exportScript = (): string => readOwnText('templates/export.py');
