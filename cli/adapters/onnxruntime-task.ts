import type { FixedShape } from '#contract/fixed-shape.ts';

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
  readonly inputs: readonly string[];
  readonly padId: number;
  /** Sizes that each run must have; undefined if the graph accepts any. */
  readonly fixedShape?: FixedShape | undefined;
  /** Position of the first token; undefined means 0. */
  readonly firstPosition?: number | undefined;
  /** The words of each text, for zero_shot_ner models. */
  readonly words?: TryWords | undefined;
}

/** A graph that is run. */
export interface RunTask extends InputRules {
  readonly graph: string;
  /** Folder that contains the weights of the graph. */
  readonly folder: string;
}

export interface TryTask extends RunTask {
  readonly kind: 'try';
  readonly output: string;
  readonly ids: readonly (readonly number[])[];
  /** Whether weights are prepacked, as in a server; by default not. */
  readonly prepack?: boolean | undefined;
  /** Whether only the success of the run matters: then `data` of the result is empty. */
  readonly isUnused?: boolean | undefined;
}

/** Measures the sizes of many values of a graph in several runs. */
export interface MeasureTask extends RunTask {
  readonly kind: 'measure';
  readonly values: readonly string[];
  /** Token ids of each run. */
  readonly runs: readonly (readonly (readonly number[])[])[];
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

/** Type of a value, and its sizes in each run. */
export interface MeasureResult {
  readonly name: string;
  readonly type: string;
  readonly dims: readonly (readonly number[])[];
}

export type OnnxTask = OptimizeTask | TryTask | MeasureTask;
export type OnnxAnswer = { readonly result: unknown } | { readonly error: string };
