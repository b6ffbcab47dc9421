import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../../helpers/paths.ts';

/** Frees many blocks and keeps the last one, so that glibc does not return the memory before it by itself. */
const SCRIPT = `
import { returnFreedMemory, returnLargeBlocks } from ${JSON.stringify(join(ROOT, 'runtime/platform/malloc.ts'))};
const [blocks, size, largeFirst] = process.argv.slice(1).map(Number);
if (largeFirst) returnLargeBlocks();
const megabytes = () => process.memoryUsage.rss() / 1e6;
let held = Array.from({ length: blocks }, () => Buffer.alloc(size, 1));
const last = Buffer.alloc(size, 1);
held = undefined;
gc();
// Another thread frees the buffers; the next collection waits for it.
gc();
const freed = megabytes();
if (!largeFirst) returnFreedMemory();
console.log(JSON.stringify({ freed, after: megabytes(), last: last.length }));
`;

const measure = (blocks: number, size: number, largeFirst: boolean): { freed: number; after: number } =>
  JSON.parse(
    execFileSync(
      process.execPath,
      [
        '--expose-gc',
        '--input-type=module',
        '-e',
        SCRIPT,
        String(blocks),
        String(size),
        String(Number(largeFirst)),
      ],
      { encoding: 'utf8' },
    ),
  );

test.runIf(process.platform === 'linux')('memory of freed blocks is returned to the system', () => {
  const small = measure(1000, 100_000, false);
  expect(small.freed - small.after).toBeGreaterThan(50);
  const kept = measure(60, 2_000_000, false);
  const returned = measure(60, 2_000_000, true);
  expect(kept.freed - returned.freed).toBeGreaterThan(50);
});
