import { createServer, type IncomingHttpHeaders } from 'node:http';
import { once } from 'node:events';
import { afterEach } from 'vitest';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests inspect its structure.
  readonly body: any;
}

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** Statuses of the next responses; 204 when none are left. */
  readonly statuses: number[];
}

export const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;

/** Servers that receive webhooks; each is closed after its test. */
export function useReceivers(): () => Promise<Receiver> {
  const closers: (() => void)[] = [];
  afterEach(() => closers.splice(0).forEach((close) => close()));
  return async () => {
    const received: Received[] = [];
    const statuses: number[] = [];
    const server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        const text = Buffer.concat(pieces).toString();
        received.push({ headers: request.headers, text, body: JSON.parse(text) });
        response.writeHead(statuses.shift() ?? 204, { location: '/elsewhere' }).end();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closers.push(() => server.close());
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    return { url: `http://127.0.0.1:${port}/hook?key=1`, received, statuses };
  };
}
