import { execSync } from 'node:child_process';
import { DatabaseSync } from 'node:sqlite';
import { startWatchdog } from '#serve/program/watchdog/watchdog.ts';

// A process whose event loop is blocked in the way that its argument specifies.

/** A loop in a separate function, so that its name is in the stack. */
function blockedHere(): never {
  for (let count = 0; ; count += 1) if (count < 0) throw new Error('unreachable');
}

const WAYS: Readonly<Record<string, () => unknown>> = {
  loop: blockedHere,
  pattern: () => /^(a+)+$/.test(`${'a'.repeat(100)}b`),
  microtasks: async () => {
    for (;;) await Promise.resolve();
  },
  lock: () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0),
  child: () => execSync('sleep 60'),
  database: () =>
    new DatabaseSync(':memory:').exec(
      'with recursive n(x) as (select 1 union all select x + 1 from n) select count(*) from n',
    ),
  briefly() {
    const until = performance.now() + 300;
    while (performance.now() < until);
    setTimeout(() => process.exit(0), 1000);
  },
  never: () => process.stdout.write('turning\n'),
};

startWatchdog({ timeoutMs: Number(process.argv[3]), requests: () => 7, delayMs: 0 });
setInterval(() => undefined, 1000);
setTimeout(() => WAYS[process.argv[2] ?? '']?.(), 500);
