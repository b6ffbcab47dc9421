import type { StoredEntries } from './stored-entries.ts';

/** Keeps the answers in the database below a size. Each call does little, because SQLite blocks the process. */
export type TidyStored = (written: number, maxBytes: number, now: number) => Promise<void>;

/** How many answers are written until expired ones are deleted. */
const WRITES_PER_DELETION = 100;
/** How many answers are written until their whole size is read, because other gateways write too. */
const WRITES_PER_SIZE = 5000;
const DELETED_TOGETHER = 100;

/** Creates the function to call after each answer that was written, with its size. */
export function createTidyStored(
  stored: Pick<StoredEntries, 'size' | 'deleteExpired' | 'deleteOldest'>,
): TidyStored {
  let writes = 0;
  let size = 0;
  return async (written, maxBytes, now) => {
    const isFirst = writes === 0;
    writes += 1;
    size += written;
    if (isFirst || writes % WRITES_PER_DELETION === 0) size -= await stored.deleteExpired(now);
    if (isFirst || writes % WRITES_PER_SIZE === 0) size = await stored.size();
    while (size > maxBytes) {
      const deleted = await stored.deleteOldest(DELETED_TOGETHER);
      if (deleted === 0) return;
      size -= deleted;
    }
  };
}
