import { AppError, messageOf } from '#contract/errors.ts';
import type { TokenOutputName } from '#contract/embedding-outputs.ts';
import type { TokenBatch } from '../batching/padding.ts';
import { spawnWorker, connectWorker } from '#platform/worker-requests.ts';
import type { ThreadRequest, OpenModel, RenderReply, RenderRow, RunReply } from './protocol.ts';
import type { SharedSpan } from './steps.ts';

export interface InferenceThread {
  /**
   * Opens a model. Resolves when the model can run, with the time that creating the session took if `timed`; rejects if it cannot
   * be loaded.
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

/** ONNX Runtime blocks the calling thread, so each session runs in its own thread. */
export function startInferenceThread(): InferenceThread {
  const worker = connectWorker<ThreadRequest>(
    spawnWorker('encoder', new URL('./worker.ts', import.meta.url)),
  );
  const explained = async (prefix: string, answer: Promise<unknown>): Promise<unknown> => {
    try {
      return await answer;
    } catch (error) {
      throw new AppError('InternalError', `${prefix}: ${messageOf(error)}`, { cause: error });
    }
  };
  return {
    open: async (model) =>
      (await explained('Cannot load the model', worker.ask({ kind: 'open', ...model }))) as
        | SharedSpan
        | undefined,
    run: async (batch, tokenOutputs = []) =>
      (await explained('Error running model', worker.ask({ kind: 'run', batch, tokenOutputs }))) as RunReply,
    render: async (batch, rows) =>
      (await explained('Error running model', worker.ask({ kind: 'render', batch, rows }))) as RenderReply,
    alive: worker.alive,
    died: worker.died,
    ended: worker.ended,
    kill: worker.kill,
    close: worker.close,
  };
}
