import type { TokenOutputName } from '#contract/embedding-outputs.ts';
import { AppError, messageOf } from '#contract/errors.ts';
import type { Manifest } from '#contract/manifest.ts';
import type { ImageLimits } from '#core/images/read-image-size.ts';
import type { BatchOutput, FailedInference } from '#core/model/raw-output.ts';
import type { TextWords, TokenDetails } from '#core/model/tokenized-text.ts';
import type { SessionOptions } from '#platform/onnx/session.ts';
import { closeGate, openGate } from '#platform/exit-gate.ts';
import type { ThreadPriority } from '#platform/thread-priority.ts';
import { connectWorker, spawnWorker } from '#platform/worker-requests.ts';
import type { Transformed } from '#transform/transform.ts';
import type { TransformScript } from '#transform/transform-script.ts';
import type { VectorLayer } from '../math/inference.ts';
import type { Model, ModelBody } from '../model.ts';
import type { TokenBatch } from './batch.ts';
import type { Progress } from './progress.ts';
import type { View } from './serving.ts';
import type { SharedSpan } from './steps.ts';

export interface InferenceThread {
  /**
   * Opens a model. Resolves when the model is ready to run, with the time taken to create the
   * session if `timed` is set. Rejects if the model cannot be loaded.
   */
  readonly open: (model: Omit<OpenModel, 'kind'>) => Promise<SharedSpan | undefined>;
  readonly run: (batch: TokenBatch, tokenOutputs?: readonly TokenOutputName[]) => Promise<RunReply>;
  readonly render: (batch: TokenBatch, rows: readonly RenderRow[]) => Promise<RenderReply>;
  readonly alive: () => boolean;
  readonly died: Promise<AppError>;
  /** Resolves when the thread has ended and its memory is freed. */
  readonly ended: Promise<void>;
  readonly kill: () => void;
  readonly close: () => Promise<void>;
}

/** Runs a session in its own thread, because ONNX Runtime blocks the calling thread. */
export function startInferenceThread(): InferenceThread {
  const gate = openGate();
  const worker = connectWorker<ThreadRequest>(
    spawnWorker('encoder', new URL('./worker.ts', import.meta.url), { workerData: { gate } }),
  );
  void worker.ended.then(() => closeGate(gate));
  return {
    ...threadRequests(worker.ask),
    alive: worker.alive,
    died: worker.died,
    ended: worker.ended,
    kill: worker.kill,
    close: worker.close,
  };
}

/** The requests to a thread as functions, with the errors that users see. */
export function threadRequests(
  ask: (request: ThreadRequest) => Promise<unknown>,
): Pick<InferenceThread, 'open' | 'run' | 'render'> {
  const explained = async (prefix: string, request: ThreadRequest): Promise<unknown> => {
    try {
      return await ask(request);
    } catch (error) {
      throw new AppError('InternalError', `${prefix}: ${messageOf(error)}`, { cause: error });
    }
  };
  return {
    open: async (model) =>
      (await explained('Cannot load the model', { kind: 'open', ...model })) as SharedSpan | undefined,
    run: async (batch, tokenOutputs = []) =>
      (await explained('Error running model', { kind: 'run', batch, tokenOutputs })) as RunReply,
    render: async (batch, rows) =>
      (await explained('Error running model', { kind: 'render', batch, rows })) as RenderReply,
  };
}

/**
 * The first message: the model to open. It is sent after the thread has started, so that the thread
 * starts while the model is read.
 */
export interface OpenModel extends Omit<
  SessionOptions,
  'graph' | 'weightsFolder' | 'bfloat16' | 'hasConvolutions'
> {
  readonly kind: 'open';
  /** Path of the ONNX Runtime addon. */
  readonly addon: string;
  readonly body: ModelBody;
  readonly manifest: Manifest;
  /** Modules after pooling, for threads that render results. */
  readonly layers?: readonly VectorLayer[] | undefined;
  /** The priority of this thread compared with the thread that serves callers. */
  readonly priority: ThreadPriority;
  readonly transform?: OpenTransform | undefined;
  /** The largest images to decode. Default: the limits for machines with enough memory. */
  readonly images?: ImageLimits | undefined;
  /** Whether the reply contains the times at which the creation of the session started and ended. */
  readonly timed?: boolean | undefined;
}

export interface OpenTransform {
  readonly script: TransformScript;
  /** Path of the WebAssembly file that contains Lua. */
  readonly lua: string;
  readonly progress: Progress;
}

/** Runs a batch and returns the raw output and, if the model has a transform, its result for each row. */
export interface RunBatch {
  readonly kind: 'run';
  readonly batch: TokenBatch;
  /** Additional outputs to return, for a sentence_embedding model that has them. */
  readonly tokenOutputs: readonly TokenOutputName[];
}

/** Runs a batch and renders each row in the form that its view specifies. */
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
/** The transform's result for a row, or the reason why the transform failed. */
export type RowResult = Transformed | FailedInference;

type RunReply = BatchOutput & { readonly transformed?: readonly RowResult[] | undefined };

/** All rendered rows in one buffer; row `n` ends at `ends[n]`. */
export interface RenderReply {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly ends: readonly number[];
  /**
   * Rows without a result, because the input could not be read, the transform failed or the output is
   * not finite. They take up no bytes.
   */
  readonly failures: readonly {
    readonly row: number;
    readonly message: string;
    readonly isInput?: true | undefined;
  }[];
}

/**
 * Returns the data that threads need to run the model's transform; undefined if the model has no
 * transform.
 */
export function transformToOpen(
  { manifest, transform }: Model,
  lua: string,
): Omit<OpenTransform, 'progress'> | undefined {
  if (!manifest.transform || transform === undefined) return undefined;
  return { script: { ...manifest.transform, source: transform }, lua };
}
