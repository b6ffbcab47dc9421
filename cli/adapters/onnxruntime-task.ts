import type { FixedShape } from '../../runtime/contract/fixed-shape.ts';

/** The argument with which `bin.ts` runs ONNX Runtime instead of a command. */
export const ONNXRUNTIME_PROCESS = 'onnxruntime-process';

export interface OptimizeTask {
  readonly kind: 'optimize';
  readonly model: string;
  /** Path of the optimized graph, and the name of the file next to it for its weights. */
  readonly graph: string;
  readonly weights: string;
  /** What happens to quantized weights; undefined if the model has none. */
  readonly integers: 'keep' | 'convert' | undefined;
}

/** How token ids become the inputs of a graph. */
interface InputRules {
  readonly padId: number;
  /** Sizes that each run must have; undefined if the graph accepts any. */
  readonly fixedShape?: FixedShape | undefined;
  /** Position of the first token; undefined means 0. */
  readonly firstPosition?: number | undefined;
}

export interface TryTask extends InputRules {
  readonly kind: 'try';
  readonly graph: string;
  /** Folder that contains the weights of the graph. */
  readonly folder: string;
  readonly inputs: readonly string[];
  readonly output: string;
  readonly ids: readonly (readonly number[])[];
  /** Whether weights are prepacked, as in a server; by default not. */
  readonly prepack?: boolean | undefined;
  /** The words of each text, for zero_shot_ner models. */
  readonly words?: TryWords | undefined;
}

interface TryWords {
  /** For each token, the number of its word from 1, or 0. */
  readonly mask: readonly (readonly number[])[];
  readonly counts: readonly number[];
  readonly maxWidth: number;
}

export interface TryResult {
  readonly type: string;
  readonly dims: readonly number[];
  readonly data: Float32Array;
  /** Processor time of the run in milliseconds, of all threads. */
  readonly processorMs: number;
}

export type OnnxTask = OptimizeTask | TryTask;
export type OnnxAnswer = { readonly result: unknown } | { readonly error: string };
