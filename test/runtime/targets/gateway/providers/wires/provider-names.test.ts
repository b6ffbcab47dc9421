import { expect, test } from 'vitest';
import type { ChatRequest } from '#gateway/providers/shapes/chat.ts';
import {
  clientEncoder,
  droppedNotice,
  withNotice,
  withOriginalNames,
  withProviderNames,
} from '#gateway/providers/wires/client-view.ts';
import { CLIENT_WIRES } from '#gateway/providers/wires/index.ts';
import { createSignatureMemory } from '#gateway/providers/adapters/signature-memory.ts';
import { completionCalling } from './completion-calling.ts';

const LONG = `mcp__${'server'.repeat(10)}__read_one`;
const SIBLING = `mcp__${'server'.repeat(10)}__read_two`;
const NAMES = [LONG, SIBLING, 'files.read', '2nd', 'größe', 'fine'];
const chatWith = (names: readonly string[]): ChatRequest => ({
  model: 'm',
  tools: names.map((name) => ({ type: 'function', function: { name } })),
  tool_choice: { type: 'function', function: { name: names[0] ?? '' } },
  messages: [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: null, tool_calls: names.map((name, at) => callOf(name, at)) },
  ],
});
const callOf = (name: string, at: number) =>
  ({ id: `c${at}`, type: 'function', function: { name, arguments: '{}' } }) as const;

test('tool names that a provider would reject are changed, stay distinct, and are restored', () => {
  const { chat, originals } = withProviderNames(chatWith(NAMES));
  const names = (chat.tools ?? []).map((tool) => tool.function?.name ?? '');
  for (const name of names) expect(name).toMatch(/^[a-zA-Z_][\w-]{0,63}$/);
  expect(new Set(names).size).toBe(NAMES.length);
  expect(names.at(-1)).toBe('fine');
  expect(chat.messages[1]?.tool_calls?.map((call) => call.function.name)).toEqual(names);
  expect(chat.tool_choice).toEqual({ type: 'function', function: { name: names[0] } });
  const answer = withOriginalNames(completionCalling(...names.map(callOf)), originals);
  expect(answer.choices[0]?.message.tool_calls?.map((call) => call.function.name)).toEqual(NAMES);
  // The same in every request of a conversation.
  expect(withProviderNames(chatWith(NAMES)).chat).toEqual(chat);
});

test('a request with valid names is not copied', () => {
  const chat = chatWith(['fine', 'read_file']);
  expect(withProviderNames(chat)).toEqual({ chat, originals: undefined });
  expect(withProviderNames(chat).chat).toBe(chat);
});

const NOTICE =
  '[gateway] The provider of this model does not support these tools, so they were left out: `web_search`.\n\n';

test('only the first response in a conversation lists dropped tools', () => {
  const [first, ...later] = chatWith(['fine']).messages;
  const request = { model: 'm', messages: first ? [first] : [] };
  expect(droppedNotice(request, ['web_search', 'web_search'])).toBe(NOTICE);
  expect(droppedNotice(request, [])).toBeUndefined();
  expect(
    droppedNotice({ ...request, messages: [...request.messages, ...later] }, ['web_search']),
  ).toBeUndefined();
});

test.each(['chat', 'messages', 'responses', 'gemini'] as const)(
  'clients of %s see the names of dropped tools in the reasoning, buffered and streamed',
  (wire) => {
    const request = { store: false };
    const api = CLIENT_WIRES[wire];
    const answer = {
      ...completionCalling(),
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }],
    } as const;
    const stream = clientEncoder(api.encoder(request, { model: 'm', created: 1 }), {
      originals: undefined,
      notice: NOTICE,
    });
    const text =
      stream.encode([{ id: 'a', choices: [{ index: 0, delta: { content: 'Hi.' } }] }]) + stream.end().last;
    for (const shown of [JSON.stringify(api.fromChat(withNotice(answer, NOTICE), request)), text]) {
      expect(shown).toContain('so they were left out: `web_search`');
      expect(shown).toMatch(/reasoning_content|"thinking"|summary_text|"thought":true/);
    }
  },
);

test('the cache of thought signatures is bounded and evicts the oldest entries first', () => {
  const memory = createSignatureMemory(1000);
  const signed = (id: string) => ({
    ...callOf('read', 0),
    id,
    extra_content: { google: { thought_signature: 's'.repeat(300) } },
  });
  for (const id of ['a', 'b', 'c', 'd']) memory.keep('ann', [signed(id)]);
  const signaturesOf = (owner: string): unknown[] =>
    memory
      .complete(owner, {
        model: 'm',
        messages: [
          { role: 'assistant', tool_calls: ['a', 'b', 'c', 'd'].map((id) => ({ ...callOf('read', 0), id })) },
        ],
      })
      .messages.flatMap(({ tool_calls: calls }) =>
        (calls ?? []).map((call) => call.extra_content !== undefined),
      );
  expect(signaturesOf('ann')).toEqual([false, true, true, true]);
  expect(signaturesOf('bob')).toEqual([false, false, false, false]);
  memory.keep('ann', [
    { ...signed('e'), extra_content: { google: { thought_signature: 's'.repeat(2000) } } },
  ]);
  expect(signaturesOf('ann')).toEqual([false, true, true, true]);
});
