import { randomBytes } from 'node:crypto';

const MAX_COUNT = 0xfff;

/** Creates version 7 UUIDs, which are ascending even within a millisecond. */
export function createEventIds(): (at: number) => string {
  let last = 0;
  let count = 0;
  return (at) => {
    const now = Math.max(Math.floor(at), last);
    count = now === last ? count + 1 : 0;
    // Beyond 4096 events per millisecond, IDs use the next millisecond.
    last = count > MAX_COUNT ? now + 1 : now;
    if (count > MAX_COUNT) count = 0;
    const time = last.toString(16).padStart(12, '0');
    const random = randomBytes(8);
    random[0] = 0x80 | ((random[0] ?? 0) & 0x3f);
    const tail = random.toString('hex');
    const ordered = `7${count.toString(16).padStart(3, '0')}`;
    return `${time.slice(0, 8)}-${time.slice(8)}-${ordered}-${tail.slice(0, 4)}-${tail.slice(4)}`;
  };
}
