import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

/** A provider that responds on any path, but only when a test releases the response. */
export interface HeldProvider {
  readonly url: string;
  /** The next request, including one that arrived earlier; each is returned once. */
  next(): Promise<ServerResponse>;
}

/** Runs in the test process until the tests in the file have finished. */
export async function startHeld(): Promise<HeldProvider> {
  const arrived: ServerResponse[] = [];
  let wake: (() => void) | undefined;
  const server = createServer((request, response) => {
    request.resume();
    arrived.push(response);
    wake?.();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async next() {
      for (;;) {
        const response = arrived.shift();
        if (response) return response;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}
