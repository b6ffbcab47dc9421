import { putLoad } from '../serve/load.ts';

/** The same batches, one after the other as a job sends them; in milliseconds. Answers are read to their end, and dropped. */
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
