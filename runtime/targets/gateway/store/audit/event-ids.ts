import { randomBytes } from 'node:crypto';

const MAX_COUNT = 0xfff;

/** Creates UUIDs of version 7. Those of one millisecond are in order, too. */
export function createEventIds(): (at: number) => string {
  let last = 0;
  let count = 0;
  return (at) => {
    const now = Math.max(Math.floor(at), last);
    count = now === last ? count + 1 : 0;
    // More than 4096 events in one millisecond use the next one.
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
