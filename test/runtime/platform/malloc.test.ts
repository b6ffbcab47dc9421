import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../../helpers/paths.ts';

/** Frees many blocks and keeps the last one, so that glibc does not return the memory automatically. */
const SCRIPT = `
import { returnFreedMemory } from ${JSON.stringify(join(ROOT, 'runtime/platform/malloc.ts'))};
const allocate = () => Buffer.alloc(100_000, 1);
let held = Array.from({ length: 1000 }, allocate);
const last = allocate();
held = undefined;
gc();
// Another thread frees the buffers; the next collection waits for it.
gc();
const before = process.memoryUsage.rss();
returnFreedMemory();
console.log(JSON.stringify({ returned: before - process.memoryUsage.rss(), last: last.length }));
`;

test.runIf(process.platform === 'linux')(
  'freed memory is returned to the operating system, without a warning',
  () => {
    const args = ['--expose-gc', '--input-type=module', '-e', SCRIPT];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout).returned).toBeGreaterThan(50e6);
  },
);
