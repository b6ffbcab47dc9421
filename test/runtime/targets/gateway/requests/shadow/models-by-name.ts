import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll } from 'vitest';
import { openProvider } from '#gateway/providers/adapters/open-provider.ts';
import type { Provider } from '#gateway/providers/adapters/provider.ts';
import { systemClock } from '#platform/clock.ts';

type Body = Readonly<Record<string, unknown>>;

/** A request that reached the provider. */
interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Body;
}

/** What a model responds: a text, a message, a status, or events of a stream. */
export type Behavior = (body: Body) => string | object | number | Promise<string | object | number>;

interface ModelsByName {
  readonly provider: Provider;
  /** Base URL of the provider. */
  readonly url: string;
  readonly behaviors: Map<string, Behavior>;
  readonly received: Received[];
  /** The requests for a model, oldest first. */
  readonly of: (model: string) => readonly Received[];
}

const USAGE = { prompt_tokens: 10, completion_tokens: 5 };

/** A provider whose models each respond as a test defines, for the Chat Completions API. */
export async function startModels(name = 'openai'): Promise<ModelsByName> {
  const behaviors = new Map<string, Behavior>();
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const body = JSON.parse(await text(request)) as Body;
      const model = String(body['model']);
      received.push({ path: request.url ?? '', headers: request.headers, body });
      const result = await (behaviors.get(model) ?? (() => 500))(body);
      if (typeof result === 'number') {
        response.writeHead(result, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ error: { message: 'It fails.' } }));
        return;
      }
      const message = typeof result === 'string' ? { role: 'assistant', content: result } : result;
      if (body['stream'] === true) {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const chunk = (delta: object, finish: string | null) =>
          `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
        const content = 'content' in message ? String(message.content) : '';
        for (const piece of content.match(/.{1,4}/gsu) ?? []) response.write(chunk({ content: piece }, null));
        response.write(chunk({}, 'stop'));
        response.end(`data: ${JSON.stringify({ choices: [], usage: USAGE })}\n\ndata: [DONE]\n\n`);
        return;
      }
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }], usage: USAGE }));
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/v1`;
  const provider = openProvider(
    { name, type: 'openai', baseUrl: url, apiKey: 'sk-test', local: true },
    { clock: systemClock, random: () => 0.5, onLine: () => undefined },
  );
  return {
    provider,
    url,
    behaviors,
    received,
    of: (model) => received.filter(({ body }) => body['model'] === model),
  };
}

/** A judge that prefers the response that contains a word. */
export const prefers =
  (word: string): Behavior =>
  (body) => {
    const [, user] = body['messages'] as readonly { readonly content: string }[];
    const data = (user?.content ?? '').split('\n')[1] ?? '{}';
    const { first, second } = JSON.parse(data) as { readonly first: string; readonly second: string };
    const [one, other] = [first.includes(word), second.includes(word)];
    const better = one === other ? 'equal' : one ? 'first' : 'second';
    return JSON.stringify({ reason: 'It contains the word.', better });
  };
