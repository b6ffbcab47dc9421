import type { Manifest } from '../../../contract/manifest.ts';
import type { TokenBatch } from '../../../core/padding.ts';
import type { TokenDetails } from '../../../core/tokenized-text.ts';
import type { SessionOptions } from '../../../platform/onnx/session.ts';
import type { View } from './api.ts';
import type { RawOutput } from './raw-output.ts';

/** The first message: the model to open. It comes after the start, so that the thread starts while the model is read. */
export interface OpenModel extends SessionOptions {
  readonly kind: 'open';
  /** Path of ONNX Runtime's addon. */
  readonly addon: string;
  readonly manifest: Manifest;
  /** Whether a thread that serves callers goes before this one. */
  readonly background: boolean;
}

/** Runs a batch and returns the raw output. */
export interface RunBatch {
  readonly kind: 'run';
  readonly batch: TokenBatch;
}

/** Runs a batch and makes of each row what its view says. */
export interface RenderBatch {
  readonly kind: 'render';
  readonly batch: TokenBatch;
  readonly rows: readonly RenderRow[];
}

export interface RenderRow {
  readonly view: View;
  readonly details: TokenDetails | undefined;
}

export type InferenceRequest = OpenModel | RunBatch | RenderBatch;
export type RunReply = RawOutput;

/** All rows in one piece of memory; row `n` ends at `ends[n]`. */
export interface RenderReply {
  readonly bytes: Uint8Array;
  readonly ends: readonly number[];
}
