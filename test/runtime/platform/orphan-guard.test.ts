import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { createOrphanGuard } from '#platform/orphan-guard.ts';
import { children, childrenSince, isAlive } from '../targets/manager/upstream/processes.ts';
import { launchOf } from '../targets/manager/upstream/spec.ts';

const GUARDED = join(import.meta.dirname, 'guarded.ts');
const STUBBORN = launchOf('ignores-sigterm.mjs').args[0] ?? '';

test('servers that ignore all signals except SIGKILL are killed when their manager is killed', async () => {
  const manager = spawn(process.execPath, [GUARDED, STUBBORN, STUBBORN, STUBBORN], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface({ input: manager.stdout }), 'line')) as [string];
  const [forgotten = 0, ...watched] = JSON.parse(line) as number[];
  try {
    expect(watched.map(isAlive)).toEqual([true, true]);
    manager.kill('SIGKILL');
    await expect.poll(() => watched.map(isAlive)).toEqual([false, false]);
    expect(isAlive(forgotten)).toBe(true);
  } finally {
    process.kill(-forgotten, 'SIGKILL');
  }
});

test('a process that exits waits only until its guard has exited', () => {
  const { stdout, status } = spawnSync(process.execPath, [GUARDED], { encoding: 'utf8', timeout: 20_000 });
  expect([stdout, status]).toEqual(['closed\n', 0]);
});

test('the guard exits immediately when no processes are left to guard', async () => {
  const before = children();
  const guard = createOrphanGuard();
  const forget = [1_000_001, 1_000_002, 1_000_003].map((pid) => guard.watch(pid));
  expect(childrenSince(before)).toHaveLength(1);
  for (const leave of forget.toReversed()) leave();
  await guard.close();
  expect(childrenSince(before)).toEqual([]);
});
