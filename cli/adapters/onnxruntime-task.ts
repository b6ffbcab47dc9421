/** The argument with which `bin.ts` runs ONNX Runtime instead of a command. */
export const ONNXRUNTIME_PROCESS = 'onnxruntime-process';

export interface OptimizeTask {
  readonly kind: 'optimize';
  readonly model: string;
  /** Path of the optimized graph, and the name of the file next to it for its weights. */
  readonly graph: string;
  readonly weights: string;
  /** Whether integer weights stay integers. */
  readonly keepIntegers: boolean;
}

export interface TryTask {
  readonly kind: 'try';
  readonly graph: string;
  /** Folder that contains the weights of the graph. */
  readonly folder: string;
  readonly inputs: readonly string[];
  readonly output: string;
  readonly ids: readonly (readonly number[])[];
}

export interface TryResult {
  readonly type: string;
  readonly dims: readonly number[];
  readonly data: Float32Array;
}

export type OnnxTask = OptimizeTask | TryTask;
export type OnnxAnswer = { readonly result: unknown } | { readonly error: string };
