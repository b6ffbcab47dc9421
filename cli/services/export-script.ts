import { readOwnText } from '../adapters/own-files.ts';

/** The Python script that exports a model of transformers to ONNX. */
export const exportScript = (): string => readOwnText('templates/export.py');
