import { describe, expect, test } from 'vitest';
import {
  cacheKey,
  membersLeft,
  isCacheable,
  questionOf,
  readDirectives,
} from '#gateway/requests/cache/cacheable.ts';
import { createMemoryEntries } from '#gateway/requests/cache/stored-entries.ts';
import { listMembers } from '#gateway/shared/json-members.ts';

const CHAT = '/v1/chat/completions';
const GEMINI = '/v1beta/models/{model}:generateContent';

const keyOf = (json: string, endpoint = CHAT, facts: readonly string[] = ['a']): string => {
  const bytes = Buffer.from(json);
  return cacheKey({ facts, bytes, members: listMembers(bytes), left: membersLeft(endpoint) });
};

test('a cache key ignores member order and changes with any other byte', () => {
  const key = keyOf('{"messages":[1,2],"seed":3,"user":"ann","model":"x"}');
  expect(keyOf('{ "seed":3, "metadata":{}, "messages":[1,2] }')).toBe(key);
  const others = [
    keyOf('{"messages":[1, 2],"seed":3}'),
    keyOf('{"messages":[2,1],"seed":3}'),
    keyOf('{"messages":[1,2],"seed":3.0}'),
    keyOf('{"messages":[1,2],"seed":3,"top_p":1}'),
    keyOf('{"messages":[1,2],"seed":3}', CHAT, ['b']),
    // Responses of this route repeat the user.
    keyOf('{"messages":[1,2],"seed":3,"user":"ann"}', '/v1/responses'),
  ];
  expect(new Set([key, ...others]).size).toBe(others.length + 1);
});

test.each([
  [null, {}],
  ['no-cache', { noCache: true }],
  ['No-Store, max-age=5', { noStore: true, maxAgeMs: 5000 }],
  ['max-age="7"', { maxAgeMs: 7000 }],
  ['max-age=0', { noCache: true, maxAgeMs: 0 }],
  ['max-age=x, x-no-cache', {}],
])('parses cache-control: %s', (header, expected) => {
  expect(readDirectives(header)).toEqual({
    noCache: false,
    noStore: false,
    maxAgeMs: undefined,
    ...expected,
  });
});

describe('cacheable requests', () => {
  const settings = { models: undefined, sampled: false };
  test.each([
    [CHAT, {}, true],
    [CHAT, { temperature: 0 }, true],
    [CHAT, { temperature: 0.1 }, false],
    [GEMINI, { generationConfig: { temperature: 1 } }, false],
    [CHAT, { tools: [{ type: 'function' }, { type: 'custom' }, { name: 'x', input_schema: {} }] }, true],
    [CHAT, { tools: [{ type: 'function' }, { type: 'web_search' }] }, false],
    ['/v1/messages', { tools: [{ type: 'code_execution_20250825' }] }, false],
    [GEMINI, { tools: [{ functionDeclarations: [] }] }, true],
    [GEMINI, { tools: [{ functionDeclarations: [], googleSearch: {} }] }, false],
    [CHAT, { store: true }, false],
    [CHAT, { store: false }, true],
    ['/v1/responses', { previous_response_id: 'r' }, false],
    ['/v1/embeddings', { input: 'x' }, true],
    ['/v1/images/generations', {}, false],
  ])('%s %j is cacheable: %s', (endpoint, body, expected) => {
    expect(isCacheable(endpoint, 'openai:good', body, settings)).toBe(expected);
  });

  test('respect the configured models and allow a temperature if configured', () => {
    const only = { models: ['openai:*'], sampled: true };
    expect(isCacheable(CHAT, 'openai:good', { temperature: 1 }, only)).toBe(true);
    expect(isCacheable(CHAT, 'gemini:good', {}, only)).toBe(false);
  });
});

describe('the question for similarity search', () => {
  const rule = { question: 'last_message', maxCharacters: 40 } as const;
  const user = (content: unknown) => ({ role: 'user', content });
  test.each([
    [CHAT, { messages: [{ role: 'system', content: 'S' }, user(' Who? ')] }, 'Who?'],
    [
      '/v1/messages',
      {
        messages: [
          user([
            { type: 'text', text: 'A' },
            { type: 'text', text: 'B' },
          ]),
        ],
      },
      'A\nB',
    ],
    ['/v1/responses', { input: 'Who?' }, 'Who?'],
    ['/v1/responses', { input: [user([{ type: 'input_text', text: 'Who?' }])] }, 'Who?'],
    ['/v1/completions', { prompt: 'Who?' }, 'Who?'],
    ['/v1/completions', { prompt: ['Who?', 'What?'] }, undefined],
    [GEMINI, { contents: [{ parts: [{ text: 'Who?' }] }] }, 'Who?'],
    [GEMINI, { contents: [{ parts: [{ functionResponse: {} }] }] }, undefined],
    [CHAT, { messages: [user([{ type: 'text', text: 'A' }, { type: 'image_url' }])] }, undefined],
    [CHAT, { messages: [user('Who?'), { role: 'tool', content: 'x' }] }, undefined],
    [CHAT, { messages: [user('x'.repeat(41))] }, undefined],
    [CHAT, { messages: [user('  ')] }, undefined],
    ['/v1/embeddings', { input: 'Who?' }, undefined],
  ])('the question in %s %j is %j', (endpoint, body, expected) => {
    expect(questionOf(endpoint, body, rule)?.text).toBe(expected);
  });

  test('requires equal numbers, names and tool calls', () => {
    const exactOf = (...messages: object[]) =>
      questionOf(CHAT, { messages }, { ...rule, question: 'conversation' })?.exact;
    const first = exactOf(user('In 2023?'));
    expect(exactOf(user('During 2023?'))).toBe(first);
    for (const other of [
      user('In 2024?'),
      user('In 2023.5?'),
      user('In ٢٠٢٣?'),
      { ...user('In 2023?'), name: 'a' },
    ])
      expect(exactOf(other)).not.toBe(first);
    const called = { role: 'assistant', content: 'x', tool_calls: [1] };
    expect(exactOf(called, user('A'))).not.toBe(exactOf({ ...called, tool_calls: [2] }, user('A')));
  });
});

test('least recently used responses are evicted from memory first', () => {
  const entries = createMemoryEntries();
  const entry = (key: string, length: number) => ({
    key,
    body: new Uint8Array(length),
    target: 'a:b',
    promptTokens: 1,
    completionTokens: 1,
    droppedTools: [],
    keyId: null,
    createdAt: 0,
    expiresAt: 1,
  });
  const kept = (): string[] => ['a', 'b', 'c', 'd'].filter((key) => entries.get(key) !== undefined);
  for (const key of ['a', 'b', 'c']) entries.put(entry(key, 1000), 5000);
  entries.get('a');
  entries.put(entry('d', 1000), 5000);
  expect(kept()).toEqual(['a', 'c', 'd']);
  entries.put(entry('c', 2000), 5000);
  expect(kept()).toEqual(['c', 'd']);
  entries.put(entry('b', 9000), 5000);
  expect(kept()).toEqual([]);
});
