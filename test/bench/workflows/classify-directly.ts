import { putLoad } from '../serve/load.ts';

/** Sends the same batches as a job, one after another; returns milliseconds. Responses are read to their end and discarded. */
export async function classifyDirectly(
  port: number,
  texts: readonly string[],
  batchSize: number,
): Promise<number> {
  const requests = Array.from({ length: Math.ceil(texts.length / batchSize) }, (_, at) =>
    texts.slice(at * batchSize, (at + 1) * batchSize),
  );
  const started = performance.now();
  await putLoad({ port, path: '/predict', requests, concurrency: 1 });
  return performance.now() - started;
}
