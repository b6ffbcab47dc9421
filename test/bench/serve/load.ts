import { Agent, request, type RequestOptions } from 'node:http';

export interface Load {
  readonly port: number;
  readonly path: '/v1/embeddings' | '/predict';
  /** The texts of each request. */
  readonly requests: readonly (readonly string[])[];
  readonly concurrency: number;
}

export interface LoadResult {
  readonly textsPerSecond: number;
  /** Latencies in milliseconds, one per request. */
  readonly latencies: readonly number[];
}

/** Sends requests with a fixed concurrency over persistent connections; every response is read to its end. */
export async function putLoad({ port, path, requests, concurrency }: Load): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  const headers = { 'content-type': 'application/json' };
  const latencies: number[] = [];
  let next = 0;
  const client = async (): Promise<void> => {
    for (let texts = requests[next++]; texts; texts = requests[next++]) {
      const started = performance.now();
      await send({ agent, port, path, method: 'POST', headers }, bodyOf(path, texts));
      latencies.push(performance.now() - started);
    }
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: concurrency }, client));
  const seconds = (performance.now() - started) / 1000;
  agent.destroy();
  return { textsPerSecond: requests.flat().length / seconds, latencies };
}

/** Sends one request with these texts. */
export async function sendTexts(port: number, path: Load['path'], texts: readonly string[]): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  return await send({ port, path, method: 'POST', headers }, bodyOf(path, texts));
}

const bodyOf = (path: Load['path'], texts: readonly string[]): string =>
  JSON.stringify({ [path === '/predict' ? 'inputs' : 'input']: texts });

export const get = (port: number, path: string): Promise<string> => send({ port, path }, '');

/** Sends one request and reads its response to the end. */
function send(options: RequestOptions, body: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const sent = request({ host: '127.0.0.1', ...options });
  sent.on('error', reject);
  sent.on('response', (answer) => {
    const chunks: Buffer[] = [];
    answer.on('data', (chunk: Buffer) => chunks.push(chunk));
    answer.on('error', reject);
    answer.on('end', () => {
      if (answer.statusCode === 200) resolve(Buffer.concat(chunks).toString());
      else reject(new Error(`HTTP ${answer.statusCode}`));
    });
  });
  sent.end(body);
  return promise;
}
