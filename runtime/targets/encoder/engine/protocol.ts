import type { Manifest } from '../../../contract/manifest.ts';
import type { TokenBatch } from '../../../core/padding.ts';
import type { TokenDetails } from '../../../core/tokenized-text.ts';
import type { Transformed } from '../../../transform/transform-row.ts';
import type { FailedInference } from '../tasks/task.ts';
import type { TransformScript } from '../../../transform/transform-script.ts';
import type { SessionOptions } from '../../../platform/onnx/session.ts';
import type { View } from './api.ts';
import type { Progress } from './progress.ts';
import type { RawOutput } from '../../../core/raw-output.ts';

/** The first message: the model to open. It comes after the start, so that the thread starts while the model is read. */
export interface OpenModel extends SessionOptions {
  readonly kind: 'open';
  /** Path of ONNX Runtime's addon. */
  readonly addon: string;
  readonly manifest: Manifest;
  /** Whether a thread that serves callers goes before this one. */
  readonly background: boolean;
  readonly transform?: OpenTransform | undefined;
}

export interface OpenTransform {
  readonly script: TransformScript;
  /** Path of Lua's WebAssembly. */
  readonly lua: string;
  readonly progress: Progress;
}

/** Runs a batch and returns the raw output, and what the transform made of each row. */
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
/** What the transform made of a row, or why it made nothing. */
export type RowResult = Transformed | FailedInference;

export type RunReply = RawOutput & { readonly transformed?: readonly RowResult[] | undefined };

/** All rows in one piece of memory; row `n` ends at `ends[n]`. */
export interface RenderReply {
  readonly bytes: Uint8Array;
  readonly ends: readonly number[];
  /** Rows whose transform failed or whose output is not finite; they have no bytes. */
  readonly failures: readonly { readonly row: number; readonly message: string }[];
}
