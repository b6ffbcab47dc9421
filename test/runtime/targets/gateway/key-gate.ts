import { createServer, type IncomingMessage, request as forward, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll } from 'vitest';

/** A request that has reached a provider, with the key that it was sent with. */
interface GateRequest {
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/** A response instead of the provider's. */
interface GateRefusal {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

interface KeyGate {
  readonly url: string;
  readonly seen: GateRequest[];
  /** Which requests are rejected, and headers that are added to all other responses. */
  judge: (request: GateRequest) => GateRefusal | undefined;
  headers: (request: GateRequest) => Readonly<Record<string, string>>;
}

const HEADERS = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key'];

const keyIn = ({ headers }: IncomingMessage): string =>
  HEADERS.map((name) => String(headers[name] ?? '').replace(/^Bearer /, ''))
    .filter((key) => key !== '')
    .join(' and ');

/** A proxy in front of a provider that decides by key, like a provider's limits. It is stopped after the tests of the file. */
export async function startKeyGate(target: string): Promise<KeyGate> {
  const gate: KeyGate = { url: '', seen: [], judge: () => undefined, headers: () => ({}) };
  const take = (request: IncomingMessage, body: string): GateRequest => {
    const taken = { key: keyIn(request), method: request.method ?? '', path: request.url ?? '', body };
    gate.seen.push(taken);
    return taken;
  };
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(request);
    const taken = take(request, body.toString('utf8'));
    const refusal = gate.judge(taken);
    if (refusal) {
      response.writeHead(refusal.status, { 'content-type': 'application/json', ...refusal.headers });
      response.end(JSON.stringify(refusal.body ?? { error: { message: 'refused by the gate' } }));
      return;
    }
    const { method, headers } = request;
    const sent = forward(`${target}${request.url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, { ...answer.headers, ...gate.headers(taken) });
      answer.pipe(response);
    });
    sent.once('error', () => response.destroy());
    response.once('close', () => sent.destroy());
    sent.end(body);
  };
  const server = createServer((request, response) => void pass(request, response));
  server.on('upgrade', (request, socket, head) => {
    const refusal = gate.judge(take(request, ''));
    if (refusal) {
      const headers = Object.entries({ connection: 'close', 'content-length': '0', ...refusal.headers });
      const lines = headers.map(([name, value]) => `${name}: ${value}`);
      socket.end(`HTTP/1.1 ${refusal.status} Refused\r\n${lines.join('\r\n')}\r\n\r\n`);
      return;
    }
    const { hostname, port } = new URL(target);
    const upstream = connect(Number(port), hostname, () => {
      const lines = [`GET ${request.url} HTTP/1.1`];
      for (let at = 0; at < request.rawHeaders.length; at += 2)
        lines.push(`${request.rawHeaders[at]}: ${request.rawHeaders[at + 1]}`);
      upstream.write(`${lines.join('\r\n')}\r\n\r\n`);
      upstream.write(head);
      socket.pipe(upstream).pipe(socket);
    });
    for (const one of [socket, upstream])
      one.on('error', () => [socket, upstream].forEach((each) => each.destroy()));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return Object.assign(gate, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}
