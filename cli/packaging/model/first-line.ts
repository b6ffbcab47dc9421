import { messageOf } from '#contract/errors.ts';

/** The first line of an error's message: ONNX Runtime adds a trace to some of them. */
export const firstLine = (error: unknown): string => messageOf(error).split('\n')[0] ?? '';
