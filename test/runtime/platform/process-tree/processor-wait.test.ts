import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { onTestFinished, expect, test, vi } from 'vitest';
import { processorWaitOf } from '#platform/process-tree/processor-wait.ts';

const SPIN = 'for (;;);';

test.runIf(existsSync('/proc/self/schedstat') && existsSync('/usr/bin/taskset'))(
  'processes that compete for a CPU wait for it; a sleeping process does not',
  { timeout: 60_000 },
  async () => {
    const start = (...command: readonly string[]): number => {
      const [program = '', ...args] = command;
      const child = spawn(program, args, { stdio: 'ignore', detached: true });
      const { pid = 0 } = child;
      onTestFinished(() => void process.kill(-pid, 'SIGKILL'));
      return pid;
    };
    const pinned = ['/usr/bin/taskset', '-c', '0', process.execPath, '-e'];
    start(...pinned, SPIN);
    const busy = start(...pinned, SPIN);
    // The waiting time of a child counts for its parent.
    const parent = start(
      process.execPath,
      '-e',
      `require('node:child_process').spawn('/usr/bin/taskset', ${JSON.stringify([...pinned.slice(1), SPIN])}); setInterval(() => {}, 1e6)`,
    );
    await vi.waitUntil(() => processorWaitOf(busy) > 500 && processorWaitOf(parent) > 500, {
      timeout: 50_000,
    });
    const idle = start(process.execPath, '-e', 'setInterval(() => {}, 1e6)');
    expect(processorWaitOf(idle)).toBeLessThan(processorWaitOf(busy));
    expect(processorWaitOf(2 ** 22 + 1)).toBe(0);
  },
);
