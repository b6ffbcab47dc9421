import type { Work, WorkBatch } from '../../work/work.ts';

/** Share of the rows that are ended before more are started: the calls that start together are looked up together. */
const REFILL_SHARE = 0.25;

/**
 * The same batches in the same order. The calls of a language model for later batches are started while earlier ones are processed, so
 * that no call waits for the slowest row of another batch.
 */
export async function* startedAhead<Batch extends Pick<WorkBatch, 'rows'>>(
  batches: AsyncGenerator<Batch, void>,
  { ahead }: Pick<Work, 'ahead'>,
  stop: AbortSignal,
): AsyncGenerator<Batch, void> {
  if (!ahead) {
    yield* batches;
    return;
  }
  const started: Batch[] = [];
  let rows = 0;
  try {
    for (let isDone = false; ;) {
      if (started.length < 2 || rows <= ahead.rows * (1 - REFILL_SHARE)) {
        while (!isDone && (started.length === 0 || rows < ahead.rows)) {
          const next = await batches.next();
          isDone = next.done === true;
          if (next.done === true) break;
          ahead.start(next.value, stop);
          started.push(next.value);
          rows += next.value.rows.length;
        }
      }
      const first = started.shift();
      if (!first) return;
      rows -= first.rows.length;
      yield first;
    }
  } finally {
    await batches.return();
  }
}
