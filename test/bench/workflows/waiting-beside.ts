import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '../gateway/load.ts';
import { openRawConnection, rawPost } from '../measure/raw-connection.ts';
import type { GatewayAddress } from './experiment-run.ts';

export interface Waited {
  readonly what: string;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Pause between two requests. */
const PAUSE_MS = 10;

/** Sends small requests one after another until the signal is aborted. Model requests also reach the provider. */
export async function waitBeside(
  { port, key }: GatewayAddress,
  stop: AbortSignal,
): Promise<readonly Waited[]> {
  const headers = { authorization: `Bearer ${key}` };
  const chat = { model: 'bench:chat', messages: [{ role: 'user', content: 'hi' }], max_tokens: 8 };
  const requests = {
    'GET /health': `GET /health HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`,
    'POST /v1/chat/completions': rawPost(port, '/v1/chat/completions', headers, JSON.stringify(chat)),
  };
  return await Promise.all(
    Object.entries(requests).map(async ([what, text]) => {
      const { ask, close } = await openRawConnection(port);
      const request = Buffer.from(text);
      const times: number[] = [];
      try {
        while (!stop.aborted) {
          const started = performance.now();
          times.push((await ask(request).whole).whole - started);
          await sleep(PAUSE_MS);
        }
      } finally {
        close();
      }
      return { what, p50: percentile(times, 0.5), p99: percentile(times, 0.99), max: Math.max(...times) };
    }),
  );
}
