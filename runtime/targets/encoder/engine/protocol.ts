import type { TokenOutputName } from '#contract/embedding-outputs.ts';
import type { Manifest } from '#contract/manifest.ts';
import type { TokenBatch } from '../batching/padding.ts';
import type { TextWords, TokenDetails } from '#core/model/tokenized-text.ts';
import type { Transformed } from '#transform/transform.ts';
import type { FailedInference } from '../tasks/task.ts';
import type { TransformScript } from '#transform/transform-script.ts';
import type { SessionOptions } from '#platform/onnx/session.ts';
import type { VectorLayer } from '../math/layers.ts';
import type { View } from './serving.ts';
import type { Progress } from './progress.ts';
import type { BatchOutput } from '#core/model/raw-output.ts';
import type { Model } from '../model.ts';

/**
 * The first message: the model to open. It is sent after the thread starts, so that the thread starts while the model is read.
 */
export interface OpenModel extends SessionOptions {
  readonly kind: 'open';
  /** Path of the ONNX Runtime addon. */
  readonly addon: string;
  readonly manifest: Manifest;
  /** Modules that follow pooling, for threads that render results. */
  readonly layers?: readonly VectorLayer[] | undefined;
  /** Whether this thread runs at a lower priority than threads that serve callers. */
  readonly background: boolean;
  readonly transform?: OpenTransform | undefined;
  /** Whether the reply is the start and the end of creating the session. */
  readonly timed?: boolean | undefined;
}

export interface OpenTransform {
  readonly script: TransformScript;
  /** Path of Lua as WebAssembly. */
  readonly lua: string;
  readonly progress: Progress;
}

/** Runs a batch and returns the raw output, with the transform's result for each row. */
export interface RunBatch {
  readonly kind: 'run';
  readonly batch: TokenBatch;
  /** Further outputs to return, for a sentence_embedding model that has them. */
  readonly tokenOutputs: readonly TokenOutputName[];
}

/** Runs a batch and renders each row in the form of its view. */
export interface RenderBatch {
  readonly kind: 'render';
  readonly batch: TokenBatch;
  readonly rows: readonly RenderRow[];
}

export interface RenderRow {
  readonly view: View;
  readonly details: TokenDetails | undefined;
  readonly words: TextWords | undefined;
}

export type ThreadRequest = OpenModel | RunBatch | RenderBatch;
/** The transform's result for a row, or the reason why there is none. */
export type RowResult = Transformed | FailedInference;

export type RunReply = BatchOutput & { readonly transformed?: readonly RowResult[] | undefined };

/** All rendered rows in one buffer; row `n` ends at `ends[n]`. */
export interface RenderReply {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly ends: readonly number[];
  /** Rows whose transform failed or whose output is not finite; they have no bytes. */
  readonly failures: readonly { readonly row: number; readonly message: string }[];
}

/** Returns what threads need to run the model's transform, if the model has one. */
export function transformToOpen(
  { manifest, transform }: Model,
  lua: string,
): Omit<OpenTransform, 'progress'> | undefined {
  if (!manifest.transform || transform === undefined) return undefined;
  return { script: { ...manifest.transform, source: transform }, lua };
}
