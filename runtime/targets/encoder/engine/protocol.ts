import type { InputName } from '../../../contract/manifest.ts';
import type { TokenBatch } from '../../../core/padding.ts';
import type { SessionOptions } from '../../../platform/onnx/session.ts';

/** The first message: the model to open. It comes after the start, so that the thread starts while the model is read. */
export interface OpenModel extends SessionOptions {
  readonly kind: 'open';
  /** Path of ONNX Runtime's addon. */
  readonly addon: string;
  readonly inputs: readonly InputName[];
  readonly output: string;
}

export interface RunBatch {
  readonly kind: 'run';
  readonly id: number;
  readonly batch: TokenBatch;
}

export type WorkerRequest = OpenModel | RunBatch;

/** Values of the whole padded batch, and the size of each axis. */
export interface RawOutput {
  readonly data: Float32Array;
  readonly dims: readonly number[];
}

export type WorkerReply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'unusable'; readonly message: string }
  | { readonly kind: 'done'; readonly id: number; readonly output: RawOutput }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string };
