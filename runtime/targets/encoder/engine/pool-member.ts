import { AppError, inputError } from '#contract/errors.ts';
import type { TextWords } from '#core/model/tokenized-text.ts';
import { itemAt } from '#core/values/item-at.ts';
import { padBatch } from './batch.ts';
import {
  type InferenceThread,
  type OpenModel,
  type OpenTransform,
  startInferenceThread,
} from './inference-thread.ts';
import type { JobItem } from './job.ts';
import { createProgress, watchTransform } from './progress.ts';

/** The model that every thread in a pool opens. */
export type PooledModel = Omit<OpenModel, 'kind' | 'threads' | 'transform' | 'priority'> & {
  readonly transform?: Omit<OpenTransform, 'progress'> | undefined;
};

/** The `reason` of an AppError that affects only one text. The thread and the other texts continue. */
export const TEXT_FAILED = 'text_failed';

/** Why an item has no result: the item failed, its thread died, or another item in its batch failed. */
type Failure = 'failed' | 'died' | 'unlucky';

export interface MemberHooks {
  readonly onDone: (items: readonly JobItem[], results: readonly Uint8Array[], milliseconds: number) => void;
  readonly onFailed: (items: readonly JobItem[], error: AppError, reason: Failure) => void;
}

/** A thread that has the model open. */
export interface PoolMember {
  readonly alone: boolean;
  /** Number of batches that were sent to the thread and are not completed. */
  readonly running: () => number;
  readonly run: (items: readonly JobItem[]) => Promise<void>;
  readonly died: Promise<AppError>;
  /** Resolves when the thread has ended and its memory is freed. */
  readonly ended: Promise<void>;
  readonly close: () => Promise<void>;
}

/** Starts a thread, or uses one that has already been started. Rejects if the model cannot be opened. */
export async function startMember(
  { transform, ...model }: PooledModel & Pick<OpenModel, 'priority'>,
  threads: number,
  alone: boolean,
  hooks: MemberHooks,
  thread: InferenceThread = startInferenceThread(),
): Promise<PoolMember> {
  const progress = createProgress();
  try {
    await thread.open({ ...model, threads, transform: transform && { ...transform, progress } });
  } catch (error) {
    await thread.close();
    throw error;
  }
  const { padId } = model.manifest.tokenizer;
  let running = 0;
  let stuckAt: number | undefined;
  const seconds = transform?.script.limits.seconds;
  const endWatch =
    seconds === undefined
      ? undefined
      : watchTransform(progress, seconds, (row) => {
          stuckAt = row;
          thread.kill();
        });
  void thread.died.then(endWatch);

  const finish = async (items: readonly JobItem[]): Promise<void> => {
    const started = performance.now();
    const rows = items.map(({ view, text }) => ({
      view,
      details: text.details,
      words: text.words && withoutMask(text.words),
    }));
    const batch = padBatch(
      items.map(({ text }) => text),
      padId,
    );
    const { bytes, ends, failures } = await thread.render(batch, rows);
    const failed = new Set(failures.map(({ row }) => row));
    for (const { row, message, isInput } of failures) {
      const item = itemAt(items, row);
      const error = isInput
        ? inputError(`Input ${item.job.indexOf(item.index)}: ${message}`)
        : textFailed(message);
      hooks.onFailed([item], error, 'failed');
    }
    const results = ends.map((end, row) => bytes.subarray(row === 0 ? 0 : ends[row - 1], end));
    const isDone = (_: unknown, row: number): boolean => !failed.has(row);
    hooks.onDone(items.filter(isDone), results.filter(isDone), performance.now() - started);
  };
  /**
   * Only the running batch can have caused the failure, so the batches that wait behind it are sent
   * to other threads.
   */
  const fail = (items: readonly JobItem[], error: AppError): void => {
    const culprit = stuckAt === undefined ? undefined : items[stuckAt];
    if (culprit) {
      stuckAt = undefined;
      const message = `The transform failed: it exceeded its time limit of ${seconds} s (transform_limits.seconds)`;
      hooks.onFailed([culprit], textFailed(message), 'failed');
      hooks.onFailed(
        items.filter((item) => item !== culprit),
        error,
        'unlucky',
      );
    } else hooks.onFailed(items, error, thread.alive() ? 'failed' : 'died');
  };

  return {
    alone,
    running: () => running,
    async run(items) {
      running += 1;
      try {
        await finish(items);
      } catch (error) {
        fail(items, AppError.from(error));
      } finally {
        running -= 1;
      }
    },
    died: thread.died,
    ended: thread.ended,
    async close() {
      endWatch?.();
      await thread.close();
    },
  };
}

/** The batch already contains the mask. */
const withoutMask = (words: TextWords): TextWords => ({ ...words, mask: NO_MASK });
const NO_MASK = new Int32Array();

const textFailed = (message: string): AppError =>
  new AppError('InternalError', message, { reason: TEXT_FAILED });
