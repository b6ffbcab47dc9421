import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

interface Asked {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: {
    readonly model: string;
    readonly messages: readonly { readonly role: string; readonly content: string }[];
    readonly input?: readonly string[];
  };
}

/** A model's response: a text, a whole message, or a status with headers. */
type Reply =
  | string
  | { readonly message: object }
  | { readonly json: object }
  | {
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly error: string;
      readonly code?: string | null;
    };

/** A language model with scripted responses, over HTTP with OpenAI's API. */
export async function scriptedModel(reply: (asked: Asked, nth: number) => Reply | Promise<Reply>) {
  const asked: Asked[] = [];
  let open = 0;
  let mostOpen = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    open += 1;
    mostOpen = Math.max(mostOpen, open);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { url: path = '', headers } = request;
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Asked['body'];
    asked.push({ path, headers, body });
    const said = await reply({ path, headers, body }, asked.length);
    open -= 1;
    if (typeof said === 'object' && 'status' in said) {
      response.writeHead(said.status, { 'content-type': 'application/json', ...said.headers });
      response.end(
        JSON.stringify({ error: { message: said.error, type: 'server_error', code: said.code ?? null } }),
      );
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(typeof said === 'object' && 'json' in said ? said.json : completion(said)));
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, asked, mostOpen: () => mostOpen };
}

const completion = (said: string | { readonly message: object }) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'scripted',
  choices: [
    {
      index: 0,
      message: typeof said === 'string' ? { role: 'assistant', content: said } : said.message,
      finish_reason: 'stop',
    },
  ],
  usage: {
    prompt_tokens: 10,
    completion_tokens: 4,
    total_tokens: 14,
    completion_tokens_details: { reasoning_tokens: 1 },
  },
});
