import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const SCRIPT = fileURLToPath(new URL('./blocked-process.ts', import.meta.url));

/** Starts a process whose event loop is blocked in this way. */
function start(way: string, timeoutMs: number) {
  const child = spawn(process.execPath, [SCRIPT, way, String(timeoutMs)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  child.stderr.on('data', (chunk) => (log += String(chunk)));
  return {
    child,
    ended: once(child, 'close').then(([code, signal]): Ended => ({ code, signal, log })),
  };
}

interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly log: string;
}

test.each([
  ['loop', /^blockedHere \(.*blocked-process\.ts:\d+:\d+\)$/],
  ['pattern', /blocked-process\.ts/],
  ['microtasks', /blocked-process\.ts/],
  ['lock', /blocked-process\.ts/],
])(
  'a process blocked by a %s terminates itself with a signal, and its stack is logged',
  async (way, frame) => {
    const { code, signal, log } = await start(way, 1000).ended;
    expect({ code, signal }, log).toEqual({ code: null, signal: 'SIGALRM' });
    const line = JSON.parse(log) as { stack: string[]; msg: string };
    expect(line).toMatchObject({ level: 60, requests: 7, rssBytes: expect.any(Number) });
    expect(line.msg).toMatch(/blocked for 1 s\. Terminating the process with SIGALRM \(exit code 142\)/);
    expect(line.stack[0]).toMatch(frame);
  },
);

test.each(['child', 'database'])(
  'native code in a %s has no stack, but the process still exits',
  async (way) => {
    const { signal, log } = await start(way, 1000).ended;
    expect({ signal, stack: (JSON.parse(log) as { stack: unknown }).stack }).toEqual({
      signal: 'SIGALRM',
      stack: 'none: the thread runs native code',
    });
  },
);

test('a process with a short computation keeps running', async () => {
  expect(await start('briefly', 1500).ended).toEqual({ code: 0, signal: null, log: '' });
});

test('a process that was suspended for longer than the timeout keeps running', async () => {
  const { child, ended } = start('never', 1000);
  await once(child.stdout, 'data');
  child.kill('SIGSTOP');
  await new Promise((resolve) => setTimeout(resolve, 3000));
  child.kill('SIGCONT');
  await new Promise((resolve) => setTimeout(resolve, 1000));
  child.kill('SIGTERM');
  expect(await ended).toEqual({ code: null, signal: 'SIGTERM', log: '' });
});
