import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterAll } from 'vitest';
import { systemClock } from '../../../../runtime/platform/clock.ts';
import type { Provider, Wire } from '../../../../runtime/targets/gateway/providers/api.ts';
import { callOf } from './test-provider.ts';

const WIRES: Readonly<Record<string, Wire>> = {
  '/v1/chat/completions': 'chat',
  '/v1/messages': 'messages',
  '/v1/responses': 'responses',
};

/** The least that a route has to do, for real clients to speak to. `<name>/v1` is the base URL for that provider. */
export async function forwardingServer(providers: Readonly<Record<string, Provider>>): Promise<string> {
  const forward = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [, name = '', path = ''] = /^\/([^/]+)(\/v1\/.*?)(?:\?.*)?$/.exec(request.url ?? '') ?? [];
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const body = JSON.parse(bytes.toString()) as Record<string, unknown>;
    const left = new AbortController();
    response.on('close', () => left.abort());
    const provider = providers[name];
    const call = callOf(WIRES[path] ?? 'chat', body, { bytes, signal: left.signal });
    const answer = await (path === '/v1/embeddings' ? provider?.embed(call) : provider?.chat(call));
    if (answer?.kind === 'whole') {
      response.writeHead(200, { 'content-type': 'application/json' }).end(answer.bytes);
    } else if (answer?.kind === 'stream') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const stream = answer.stream.forward({ clock: systemClock, settle: async () => undefined });
      Readable.from(stream).pipe(response);
    } else {
      response
        .writeHead(500, { 'content-type': 'application/json' })
        .end(JSON.stringify({ error: answer?.failure.error.message }));
    }
  };
  const server = createServer((request, response) => void forward(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
