import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface StubServer {
  readonly url: string;
  readonly close: () => void;
}

interface StubRequest {
  readonly method: string;
  readonly path: string;
  /** The parsed JSON body; undefined without one. */
  // oxlint-disable-next-line typescript/no-explicit-any -- sent by the programs under test.
  readonly body: any;
}

/**
 * A response: an object is sent as JSON, with status 400 if it contains an error; a list as server-sent events; undefined without a body.
 */
type StubAnswer = object | readonly unknown[] | undefined;

/** A loopback server whose responses are computed from the request. */
export async function startStub(answer: (request: StubRequest) => StubAnswer): Promise<StubServer> {
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const { method = 'GET', url: path = '/' } = request;
    const found = answer({ method, path, body: text === '' ? undefined : JSON.parse(text) });
    if (found === undefined) {
      response.writeHead(method === 'GET' ? 405 : 202).end();
    } else if (Array.isArray(found)) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(found.map((event) => `data: ${textOf(event)}\n\n`).join(''));
    } else {
      const status = path.includes('/v1/') && 'error' in found ? 400 : 200;
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(found));
    }
  };
  const server = createServer((request, response) => void respond(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const textOf = (event: unknown): string => (typeof event === 'string' ? event : JSON.stringify(event));
