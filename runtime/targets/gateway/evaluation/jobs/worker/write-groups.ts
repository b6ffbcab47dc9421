import type { Clock } from '#platform/clock.ts';
import type { RowCells } from '../../datasets/dataset.ts';
import { cellText } from '../../work/evaluation/read-cells.ts';

/**
 * Minimum time between two writes. A batch that finishes later than this after a write is written
 * immediately, so slow work is written batch by batch. A killed worker loses whatever finished during this
 * time.
 */
export const GROUP_MS = 200;
/** Number of rows and characters at which a group is written immediately. */
const MAX_ROWS = 100;
const MAX_CHARACTERS = 256 * 1024;

interface FinishedBatch {
  readonly rows: readonly RowCells[];
}

/** Finished batches that are written together, because a write costs about the same for one row as for many. */
export interface WriteGroups<Batch extends FinishedBatch> {
  /** Adds a batch. Waits for a write if the group is large enough. Throws the error from an earlier write. */
  add(batch: Batch): Promise<void>;
  /** Writes the pending batches. */
  flush(): Promise<void>;
  /** Drops the pending batches. */
  stop(): void;
}

interface GroupParts<Batch> {
  readonly clock: Clock;
  readonly write: (batches: readonly Batch[]) => Promise<void>;
  /** Whether to write these batches without waiting for others. */
  readonly isUrgent: (batches: readonly Batch[]) => boolean;
}

/**
 * Groups are also written while the next batch is processed. Those writes start in a timer callback, when no
 * batch is only half counted.
 */
export function createWriteGroups<Batch extends FinishedBatch>({
  clock,
  write,
  isUrgent,
}: GroupParts<Batch>): WriteGroups<Batch> {
  let waiting: Batch[] = [];
  let [rows, characters] = [0, 0];
  let disarm: (() => void) | undefined;
  let lastAt = -Infinity;
  let writing: Promise<void> | undefined;
  let failed: { readonly error: unknown } | undefined;

  const clear = (): readonly Batch[] => {
    disarm?.();
    disarm = undefined;
    const group = waiting;
    waiting = [];
    [rows, characters] = [0, 0];
    return group;
  };
  const arm = (): void => {
    disarm ??= clock.after(Math.max(0, lastAt + GROUP_MS - clock.now()), () => {
      disarm = undefined;
      if (!writing) start();
    });
  };
  const start = (): void => {
    lastAt = clock.now();
    const ended = write(clear())
      .catch((error: unknown) => void (failed ??= { error }))
      .finally(() => {
        writing = undefined;
        if (waiting.length > 0) arm();
      });
    writing = ended;
  };
  const flush = async (): Promise<void> => {
    for (;;) {
      await writing;
      if (failed) throw failed.error;
      if (waiting.length === 0) return;
      start();
    }
  };
  return {
    async add(batch) {
      if (failed) throw failed.error;
      waiting.push(batch);
      rows += batch.rows.length;
      characters += charactersOf(batch.rows);
      if (rows >= MAX_ROWS || characters >= MAX_CHARACTERS || isUrgent(waiting)) await flush();
      else if (!writing) arm();
    },
    flush,
    stop: () => void clear(),
  };
}

const charactersOf = (rows: readonly RowCells[]): number =>
  rows.reduce(
    (sum, row) => sum + Object.values(row).reduce<number>((all, cell) => all + cellText(cell).length, 0),
    0,
  );
