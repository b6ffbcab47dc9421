import { getAsset, isSea } from 'node:sea';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { workerAsset } from '#contract/native.ts';

/** Starts a worker thread from the asset `name` of the executable, or from its source file. */
export function spawnWorker(name: string, source: URL, options: WorkerOptions = {}): Worker {
  return isSea()
    ? new Worker(getAsset(workerAsset(name), 'utf8'), { ...options, eval: true })
    : new Worker(source, options);
}
