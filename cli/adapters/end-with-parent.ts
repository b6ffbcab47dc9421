import { Worker } from 'node:worker_threads';

/** Runs in its own thread. A process whose parent has exited gets a new parent. */
const WATCH = `
const { workerData: parent } = require('node:worker_threads');
setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
}, 500);
`;

/** Ends this process soon after its parent exits, even while native code blocks the main thread. */
export function endWithParent(): void {
  // Node options of this process are not inherited, because they could change how the script is parsed.
  new Worker(WATCH, { eval: true, workerData: process.ppid, execArgv: [] }).unref();
}
