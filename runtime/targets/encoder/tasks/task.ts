import type { Manifest } from '../../../contract/manifest.ts';
import type { Inference } from '../engine/engine.ts';

export interface TaskOptions {
  /** Embeddings only: L2-normalise each vector. */
  readonly normalize: boolean;
  /** Embeddings on the command line only: one vector for a text, or one for each of its tokens. */
  readonly pooling: 'mean' | 'none';
}

/** What a model type does with raw output. Every type has one, in a file of its own name. */
export interface Task<Result> {
  /** The result of one text, as the services return it. */
  result(inference: Inference, manifest: Manifest, options: TaskOptions): Result;
  /** One element of the list that `infer` prints. */
  printed(inference: Inference, manifest: Manifest, options: TaskOptions): unknown;
  /** The name of that list. */
  readonly printedAs: 'embeddings' | 'predictions';
  /** The key of a text's answer in a line of `infer --input`; absent where `printed` is an object already. */
  readonly lineKey?: string;
}
