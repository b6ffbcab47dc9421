import { afterAll, expect, test } from 'vitest';
import type { Json } from '#gateway/providers/shapes/chat.ts';
import { PROVIDERS, startAgentGateway } from './start-gateway.ts';

// Agents that return only texts, calls and IDs, against providers that are as strict as the real ones. `npm run test:agents` runs real
// agents.

const gateway = await startAgentGateway();
afterAll(async () => await gateway.stop());

const PARAMETERS = { type: 'object', properties: { path: { type: 'string' } } };
const TOOLS = ['read', 'edit', 'stamp'].map((name) => ({
  type: 'function',
  function: { name, parameters: PARAMETERS },
}));
const PROMPT = { role: 'user', content: 'Edit /tmp/x/notes.txt.' };

interface Message extends Json {
  readonly tool_calls?: readonly { readonly id: string }[];
  readonly extra_content?: unknown;
}

async function post(key: string, model: string, messages: readonly Message[]): Promise<Message> {
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages, tools: TOOLS }),
  });
  const body = (await answer.json()) as { readonly choices: readonly [{ readonly message: Message }] };
  expect(answer.status, JSON.stringify(body)).toBe(200);
  return body.choices[0].message;
}

/** The request of an agent that does not support `extra_content`. */
const bare = ({ content, tool_calls: calls }: Message): Message => ({
  role: 'assistant',
  content,
  tool_calls: calls?.map((call) => ({ ...call, extra_content: undefined })) ?? [],
});

const resultsOf = ({ tool_calls: calls = [] }: Message): Message[] =>
  calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'ok' }));

async function converse(key: string, model: string): Promise<Message[]> {
  const messages: Message[] = [PROMPT];
  for (;;) {
    const answer = await post(key, model, messages);
    if (!answer.tool_calls) return messages;
    messages.push(bare(answer), ...resultsOf(answer));
  }
}

test.each(PROVIDERS)(
  'a conversation that uses only IDs completes with %s, and its usage is exact',
  async (provider) => {
    const key = await gateway.createKey(`by-ids-${provider}`);
    const model = `gemini-3-ids-${provider}`;
    const messages = await converse(key, `${provider}:${model}`);
    expect(messages.filter(({ role }) => role === 'tool')).toHaveLength(4);
    const book = await gateway.providerBook(model);
    const { answers, prompt, completion } = book;
    expect(book).toMatchObject({
      answers: 4,
      refused: [],
      foreign: 0,
      signed: provider === 'gemini' ? 3 : 0,
    });
    expect(await gateway.usageOf(`by-ids-${provider}`)).toEqual({ answers, prompt, completion });
  },
);

test("another user's calls get no signature, even with the same IDs", async () => {
  const key = await gateway.createKey('signed');
  const other = await gateway.createKey('other');
  const messages = await converse(key, 'gemini:gemini-3-mine');
  await post(other, 'gemini:gemini-3-theirs', messages.slice(0, 4));
  expect(await gateway.providerBook('gemini-3-theirs')).toMatchObject({ refused: [], signed: 0, foreign: 1 });
});

test.each(PROVIDERS)('a conversation switches from %s to every other provider', async (provider) => {
  const key = await gateway.createKey(`moves-${provider}`);
  const first = await post(key, `${provider}:gemini-3-moves-${provider}`, [PROMPT]);
  for (const next of PROVIDERS) {
    const model = `gemini-3-from-${provider}-${next}`;
    const second = await post(key, `${next}:${model}`, [PROMPT, first, ...resultsOf(first)]);
    expect(second.tool_calls).toHaveLength(1);
    expect(await gateway.providerBook(model)).toMatchObject({ refused: [] });
  }
});
