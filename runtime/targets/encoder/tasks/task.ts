import type { Manifest } from '../../../contract/manifest.ts';
import type { TokenizedText } from '../../../core/tokenized-text.ts';
import type { VectorOptions } from '../../../core/vector-plan.ts';
import type { Transformed } from '../../../transform/transform-row.ts';

/** What the model said of one text: its tokens and, row after row, the raw output for it without padding. */
export interface Inference {
  readonly text: TokenizedText;
  readonly values: Float32Array;
  /** What the model's transform made of it, if it has one. */
  readonly transformed?: Transformed | undefined;
}

/** Why a text has no inference. */
export interface FailedInference {
  readonly failure: string;
}

export interface ResultOptions extends VectorOptions {
  /** Sequence classification only: also list this many labels, the likeliest first. */
  readonly topK?: number | undefined;
}

export interface PrintOptions extends VectorOptions {
  readonly normalize: boolean;
  /** Embeddings on the command line only: one vector for a text, or one for each of its tokens. */
  readonly pooling: 'mean' | 'none';
  /** Put before each text. */
  readonly prompt: string;
}

/** What a model type does with raw output. Every type has one, in a file of its own name. */
export interface Task<Result> {
  /** Whether results name tokens. */
  readonly details: boolean;
  /** The result of one text, as the services return it. */
  result(inference: Inference, manifest: Manifest, options: ResultOptions): Result;
  /** The same as an encoded protobuf message of the contract. */
  proto(result: Result): Uint8Array;
  /** One element of the list that `infer` prints. */
  printed(inference: Inference, manifest: Manifest, options: PrintOptions): unknown;
  /** The name of that list. */
  readonly printedAs: 'embeddings' | 'predictions';
  /** The key of a text's answer in a line of `infer --input`; absent where `printed` is an object already. */
  readonly lineKey?: string;
}
