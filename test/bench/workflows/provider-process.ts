import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** Responds to each chat request after a short delay with the first words of its text. `GET /count` returns the number of requests. */
const DELAY_MS = Number(process.argv[3]);
const WORDS = 12;

let count = 0;

function answerTo(body: string): string {
  const { messages } = JSON.parse(body) as { readonly messages: readonly { readonly content: string }[] };
  const words = (messages.at(-1)?.content ?? '').split(' ');
  const content = words.slice(0, WORDS).join(' ');
  return JSON.stringify({
    id: `chatcmpl-${count}`,
    object: 'chat.completion',
    created: 1_760_000_000,
    model: 'chat',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: {
      prompt_tokens: words.length + 30,
      completion_tokens: WORDS,
      total_tokens: words.length + 30 + WORDS,
    },
  });
}

async function answer(body: string, outgoing: ServerResponse): Promise<void> {
  count += 1;
  const text = answerTo(body);
  await sleep(DELAY_MS);
  outgoing
    .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    .end(text);
}

function serve(incoming: IncomingMessage, outgoing: ServerResponse): void {
  if (incoming.method === 'GET') {
    outgoing.end(String(count));
    return;
  }
  let body = '';
  incoming.setEncoding('utf8');
  incoming.on('data', (chunk: string) => (body += chunk));
  incoming.on('end', () => void answer(body, outgoing));
}

createServer({ keepAliveTimeout: 600_000, requestTimeout: 0 }, serve).listen(
  Number(process.argv[2]),
  '127.0.0.1',
);
