import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, expect, test } from 'vitest';
import { SEMANTIC_DEFAULTS, type SemanticSettings } from '#gateway/requests/cache/cache-settings.ts';
import { describeDatabases } from '../../databases.ts';
import type { RunningTestGateway } from '../completions/running-gateway.ts';
import { CHAT, chat, member, startCached } from './cache-gateway.ts';

const { ask, start } = await startCached();

/** An encoder whose vectors count the words of a text, so that texts with almost the same words are similar. */
const encoder = { texts: [] as string[], answers: 'vectors' as 'vectors' | 'errors' | 'nothing' };
const server = createServer((request, response) => void embed(request, response)).listen(0, '127.0.0.1');
await once(server, 'listening');
const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

async function embed(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { input } = JSON.parse(Buffer.concat(chunks).toString()) as { input: string | string[] };
  const texts = [input].flat();
  encoder.texts.push(...texts);
  if (encoder.answers === 'nothing') return;
  const data = texts.map((text, index) => ({ object: 'embedding', index, embedding: countsOf(text) }));
  response.writeHead(encoder.answers === 'errors' ? 503 : 200, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify({ object: 'list', model: 'words', data, usage: { prompt_tokens: 1, total_tokens: 1 } }),
  );
}

function countsOf(text: string): number[] {
  const counts = Array.from({ length: 64 }, () => 0);
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
    const place = Array.from(word).reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 64, 7);
    counts[place] = (counts[place] ?? 0) + 1;
  }
  return counts;
}

const gateways: RunningTestGateway[] = [];
afterEach(async () => {
  encoder.answers = 'vectors';
  for (const gateway of gateways.splice(0)) await gateway.stop();
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const open = async (
  semantic: Partial<SemanticSettings> = {},
  more: Parameters<typeof start>[0] = {},
  url?: string,
): Promise<RunningTestGateway> => {
  const gateway = await start(
    { ...more, semantic: { ...SEMANTIC_DEFAULTS, encoder: 'words', threshold: 0.9, ...semantic } },
    url,
    [{ name: 'words', type: 'encoder', baseUrl, local: true }],
  );
  gateways.push(gateway);
  return gateway;
};

const QUESTION = 'Please tell me what the capital of France is';
const SIMILAR = 'Please tell me what the capital of France is today';
const user = (content: unknown) => ({ role: 'user', content });
const asks = (...messages: unknown[]) => chat({ messages });

describeDatabases(({ create }) => {
  test('a similar question returns the cached response at no cost, even from another gateway', async () => {
    const url = await create();
    const one = await open({}, { store: 'database' }, url);
    const secret = await member(one, 'ann');
    for (const stream of [false, true]) {
      const first = await ask(one, secret, CHAT, { ...asks(user(QUESTION)), stream });
      const second = await ask(one, secret, CHAT, { ...asks(user(SIMILAR)), stream });
      expect([first.cache, second.cache, second.calls, second.text]).toEqual(['miss', 'hit', 0, first.text]);
      expect([first.similarity, Number(second.similarity)]).toEqual([null, 0.9574]);
    }
    const rows = await one.usage('ann');
    expect(rows.map((row) => [row['cache_hit'], row.cost === 0])).toEqual([
      [null, false],
      ['semantic', true],
      [null, false],
      ['semantic', true],
    ]);
    const other = await open({}, { store: 'database' }, url);
    expect((await ask(other, secret, CHAT, asks(user('How high is the Eiffel tower')))).cache).toBe('miss');
    expect(await ask(other, secret, CHAT, asks(user(`${QUESTION} now`)))).toMatchObject({
      cache: 'hit',
      calls: 0,
    });
    // Another key does not share it.
    expect((await ask(other, await member(other, 'bob'), CHAT, asks(user(SIMILAR)))).cache).toBe('miss');
  });
});

test('everything except the last message must be equal, and so must the numbers in the last message', async () => {
  const gateway = await open();
  const secret = await member(gateway, 'ann');
  const system = { role: 'system', content: 'Be kind.' };
  const earlier = [user('Hi'), { role: 'assistant', content: 'Hello' }];
  await ask(gateway, secret, CHAT, asks(system, ...earlier, user(`${QUESTION} in 2023`)));
  for (const [body, expected] of [
    [asks(system, ...earlier, user(`${SIMILAR} in 2023`)), 'hit'],
    [asks(system, ...earlier, user([{ type: 'text', text: `${SIMILAR} in 2023` }])), 'hit'],
    [asks(system, ...earlier, user(`${SIMILAR} in 2024`)), 'miss'],
    [asks(system, user(`${SIMILAR} in 2023`)), 'miss'],
    [asks({ ...system, content: 'Be rude.' }, ...earlier, user(`${SIMILAR} in 2023`)), 'miss'],
    [{ ...asks(system, ...earlier, user(`${SIMILAR} in 2023`)), max_tokens: 7 }, 'miss'],
    [asks(system, ...earlier, user('How high is the Eiffel tower in 2023')), 'miss'],
  ] as const)
    expect([body, (await ask(gateway, secret, CHAT, body)).cache]).toEqual([body, expected]);
});

test('in conversation mode, all messages are compared together, and instructions must be equal', async () => {
  const gateway = await open({ question: 'conversation' });
  const secret = await member(gateway, 'ann');
  const talk = (first: string, system = 'Be kind.') =>
    asks(
      { role: 'system', content: system },
      user(first),
      { role: 'assistant', content: 'Yes' },
      user(QUESTION),
    );
  await ask(gateway, secret, CHAT, talk('Hello there'));
  expect((await ask(gateway, secret, CHAT, talk('Hello over there'))).cache).toBe('hit');
  expect((await ask(gateway, secret, CHAT, talk('Hello over there', 'Be rude.'))).cache).toBe('miss');
});

test('the encoder is not called for images, long texts, conversations or requests with no-cache', async () => {
  const gateway = await open();
  const secret = await member(gateway, 'ann');
  const before = encoder.texts.length;
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
  for (const messages of [
    [user([{ type: 'text', text: QUESTION }, image])],
    [user('word '.repeat(100))],
    [user(QUESTION), { role: 'assistant', content: 'Paris' }],
  ])
    await ask(gateway, secret, CHAT, asks(...messages));
  await ask(gateway, secret, CHAT, asks(user(QUESTION)), { 'cache-control': 'no-cache' });
  expect(encoder.texts.slice(before)).toEqual([]);
});

test.each(['errors', 'nothing'] as const)(
  'a request succeeds even if the encoder returns %s',
  async (answers) => {
    const gateway = await open({ timeoutMs: 200 });
    const secret = await member(gateway, 'ann');
    encoder.answers = answers;
    for (const text of [QUESTION, SIMILAR])
      expect(await ask(gateway, secret, CHAT, asks(user(text)))).toMatchObject({ cache: 'miss', calls: 1 });
    expect((await ask(gateway, secret, CHAT, asks(user(QUESTION)))).cache).toBe('hit');
    expect(gateway.logged.filter((line) => line.includes('encoder of the semantic cache'))).toHaveLength(2);
  },
);
