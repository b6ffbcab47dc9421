import type { FixedShape } from '#contract/fixed-shape.ts';

/** The argument that makes `bin.ts` run ONNX Runtime instead of a command. */
export const ONNXRUNTIME_PROCESS = 'onnxruntime-process';

export interface OptimizeTask {
  readonly kind: 'optimize';
  readonly model: string;
  /** Path of the optimized graph, and name of the weights file next to it. */
  readonly graph: string;
  readonly weights: string;
  /** How quantized weights are handled; undefined if the model has none. */
  readonly integers: 'keep' | 'convert' | undefined;
}

/** How token ids are turned into the inputs of a graph. */
interface InputRules {
  readonly inputs: readonly string[];
  readonly padId: number;
  /** Fixed sizes that each run must use; undefined if the graph accepts any. */
  readonly fixedShape?: FixedShape | undefined;
  /** Value of `position_ids` for the first token; undefined means 0. */
  readonly firstPosition?: number | undefined;
  /** The words of each text, for zero_shot_ner models. */
  readonly words?: TryWords | undefined;
  /** Images to run instead of token ids. */
  readonly images?: TryImages | undefined;
  /** Number of tokens of each text for which the last layer is computed, for graphs with this input. Default: all. */
  readonly computedRows?: number | undefined;
}

/** A graph to run. */
export interface RunTask extends InputRules {
  readonly graph: string;
  /** Folder that contains the graph's weights. */
  readonly folder: string;
}

export interface TryTask extends RunTask {
  readonly kind: 'try';
  readonly output: string;
  readonly ids: readonly (readonly number[])[];
  /** Whether ONNX Runtime prepacks weights, as it does in a server. Default: false. */
  readonly prepack?: boolean | undefined;
  /** Whether only success matters; `data` of the result is then empty. */
  readonly isUnused?: boolean | undefined;
}

/** Measures the sizes of a graph's intermediate values in several runs. */
export interface MeasureTask extends RunTask {
  readonly kind: 'measure';
  readonly values: readonly string[];
  /** Token ids for each run. */
  readonly runs: readonly { readonly ids: readonly (readonly number[])[]; readonly computedRows: number }[];
}

/** The pixels of images, as an image processor returns them. */
interface TryImages {
  readonly values: Float32Array;
  /** Images x channels x height x width. */
  readonly dims: readonly number[];
}

interface TryWords {
  /** Token ids of entity types, for models with a second encoder. */
  readonly labels?: readonly (readonly number[])[] | undefined;
  /** Word number of each token, from 1; 0 if it belongs to no word. */
  readonly mask: readonly (readonly number[])[];
  readonly counts: readonly number[];
  readonly maxWidth: number;
}

export interface TryResult {
  readonly type: string;
  readonly dims: readonly number[];
  readonly data: Float32Array;
  /** CPU time of the run in milliseconds, over all threads. */
  readonly processorMs: number;
}

/** Type of a graph value, and the sizes of its axes in each run. */
export interface MeasureResult {
  readonly name: string;
  readonly type: string;
  readonly dims: readonly (readonly number[])[];
}

export type OnnxTask = OptimizeTask | TryTask | MeasureTask;
export type OnnxAnswer = { readonly result: unknown } | { readonly error: string };
