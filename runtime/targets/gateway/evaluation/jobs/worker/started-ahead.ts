import type { Work, WorkBatch } from '../../work/work.ts';

/**
 * Fraction of the started rows that must finish before more are started: calls that start together are looked
 * up together.
 */
const REFILL_SHARE = 0.25;

/**
 * The same batches in the same order. The language model calls for later batches start while earlier ones are
 * being processed, so that no call waits for another batch's slowest row.
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
