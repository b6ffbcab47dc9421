import { Worker } from 'node:worker_threads';

/** Runs in a thread of its own. A process whose parent has ended gets another parent. */
const WATCH = `
const { workerData: parent } = require('node:worker_threads');
setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
}, 500);
`;

/** Ends this process soon after its parent, also while native code blocks the main thread, which then notices nothing. */
export function endWithParent(): void {
  // Options of this process could change how the script is read.
  new Worker(WATCH, { eval: true, workerData: process.ppid, execArgv: [] }).unref();
}
