import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** The URL of a collector that is down: a port that was free a moment ago. */
export async function closedPort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}/v1/traces`;
}
