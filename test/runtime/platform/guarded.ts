import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createOrphanGuard } from '#platform/orphan-guard.ts';

// Acts as a manager: starts the fixtures in its arguments, prints their PIDs in one line, and waits to be killed. It has released the first
// one. Without arguments, it closes its guard and prints that.
const guard = createOrphanGuard({ patienceSeconds: 0 });
const pids = await Promise.all(
  process.argv.slice(2).map(async (fixture) => {
    const child = spawn(process.execPath, [fixture], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
    await once(child, 'spawn');
    return child.pid as number;
  }),
);
const [forget] = pids.map((pid) => guard.watch(pid));
forget?.();
if (pids.length > 0) {
  console.log(JSON.stringify(pids));
  setInterval(() => undefined, 60_000);
} else {
  guard.watch(1_000_001)();
  await guard.close();
  console.log('closed');
}
