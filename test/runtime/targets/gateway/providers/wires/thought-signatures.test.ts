import { describe, expect, test } from 'vitest';
import { readGeminiAnswer, geminiDecoder } from '#gateway/providers/adapters/gemini/answer.ts';
import { geminiRequest } from '#gateway/providers/adapters/gemini/request.ts';
import { openAiRequest, withoutExtraContent } from '#gateway/providers/adapters/openai/adapter.ts';
import { OPENAI_DIALECT } from '#gateway/providers/adapters/presets.ts';
import type { Json } from '#gateway/providers/shapes/chat.ts';
import { CLIENT_WIRES } from '#gateway/providers/wires/index.ts';
import { eventsOf } from '../../test-provider.ts';
import { completionCalling } from './completion-calling.ts';
import { CLIENTS, HELLO } from './signature-clients.ts';

const SIGNATURE = `+/${'Az09'.repeat(400)}==`;
const TEXT_SIGNATURE = `${'text'.repeat(20)}==`;
const FOREIGN = 'skip_thought_signature_validator';
const MODEL = 'gemini-3-pro';
const FACTS = { model: 'm', created: 1 };
const CALLS = [
  { functionCall: { name: 'read', args: { path: 'a' } }, thoughtSignature: SIGNATURE },
  { functionCall: { name: 'read', args: { path: 'b' } } },
];
const answerOf = (parts: readonly object[]): Json => ({
  candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
  responseId: 'r-1',
  modelVersion: MODEL,
});
const THOUGHT = { text: 'Thinking.', thought: true };

/** The response as a client of this API receives it, buffered or streamed. */
function received(wire: keyof typeof CLIENTS, parts: readonly object[], isStream: boolean): Json {
  const { first, collect } = CLIENTS[wire];
  const api = CLIENT_WIRES[wire];
  if (!isStream)
    return JSON.parse(JSON.stringify(api.fromChat(readGeminiAnswer(answerOf(parts)), first))) as Json;
  const decode = geminiDecoder();
  const encode = api.encoder(first, FACTS);
  const events = parts.map((part, at) => ({
    ...answerOf([part]),
    ...(at < parts.length - 1 && { candidates: [{ content: { role: 'model', parts: [part] }, index: 0 }] }),
  }));
  const texts = events.map((event) => {
    const step = decode('', JSON.stringify(event));
    return 'chunks' in step ? encode.encode(step.chunks ?? []) : '';
  });
  const { last, terminal } = encode.end();
  const all = eventsOf([...texts, last, terminal].join('')).map(([, data]) => data);
  return collect(all.filter((data) => data !== '[DONE]').map((data) => JSON.parse(data) as Json));
}

const sent = (wire: keyof typeof CLIENTS, request: Json, model = MODEL): readonly Json[] => {
  const { contents } = geminiRequest(CLIENT_WIRES[wire].toChat(request), model) as {
    contents: { role: string; parts: Json[] }[];
  };
  return contents.filter(({ role }) => role === 'model').flatMap(({ parts }) => parts);
};

const IDS = ['call_r-1-0-0', 'call_r-1-0-1'];
const WIRES = Object.keys(CLIENTS) as (keyof typeof CLIENTS)[];

test('this test covers every API that supports function calls', () => {
  expect([...WIRES, 'completions'].toSorted()).toEqual(Object.keys(CLIENT_WIRES).toSorted());
});

describe.each(WIRES)('%s', (wire) => {
  test.each([false, true])('a call is sent back to Gemini with its signature (stream: %s)', (isStream) => {
    const answer = received(wire, [THOUGHT, ...CALLS], isStream);
    const parts = sent(wire, CLIENTS[wire].next(answer, IDS)).filter((part) => part['functionCall']);
    expect(parts).toEqual([
      { functionCall: { name: 'read', args: { path: 'a' } }, thoughtSignature: SIGNATURE },
      { functionCall: { name: 'read', args: { path: 'b' } } },
    ]);
  });

  test.each([false, true])('text is sent back to Gemini with its signature (stream: %s)', (isStream) => {
    const parts = isStream
      ? [{ text: 'Hi.' }, { text: '', thoughtSignature: TEXT_SIGNATURE }]
      : [{ text: 'Hi.', thoughtSignature: TEXT_SIGNATURE }];
    const back = sent(wire, CLIENTS[wire].next(received(wire, parts, isStream), []));
    // Agents would show a block after the text of a stream as the response; Google does not require this signature.
    const isLost = isStream && wire === 'messages';
    expect(back).toEqual([{ text: 'Hi.', ...(!isLost && { thoughtSignature: TEXT_SIGNATURE }) }]);
  });

  test('tool call IDs stay within the limits of all APIs', () => {
    const text = JSON.stringify(received(wire, [THOUGHT, ...CALLS], true));
    const ids = [...text.matchAll(/"(?:id|call_id)":"([^"]*)"/g)].map(([, id = '']) => id);
    for (const id of ids) expect(id).toMatch(/^[\w-]{1,40}$/);
  });

  test("a call from another model gets Google's documented placeholder signature, only for models that validate it", () => {
    const calls = CALLS.map(({ functionCall }) => ({ functionCall }));
    const request = CLIENTS[wire].next(received(wire, calls, true), IDS);
    const signatures = (model: string) => sent(wire, request, model).map((part) => part['thoughtSignature']);
    expect(signatures(MODEL)).toEqual([FOREIGN, undefined]);
    expect(signatures('publishers/google/models/gemini-flash-latest')).toEqual([FOREIGN, undefined]);
    expect(signatures('gemini-2.5-pro')).toEqual([undefined, undefined]);
  });

  test('a conversation that moves to another provider contains no Gemini-specific data', () => {
    const request = CLIENTS[wire].next(received(wire, [THOUGHT, ...CALLS], true), IDS);
    const translated = openAiRequest(
      withoutExtraContent(CLIENT_WIRES[wire].toChat(request)),
      'm',
      OPENAI_DIALECT,
    );
    expect(JSON.stringify(translated)).not.toContain(SIGNATURE);
    expect(JSON.stringify(translated)).not.toContain('extra_content');
    // Of these APIs, only Gemini's own has Gemini's signatures.
    if (wire === 'gemini') return;
    const edits = CLIENT_WIRES[wire].nativeEdits?.(request) ?? {};
    const native = Object.entries(edits).map(([name, value]) => [name, JSON.parse(String(value))] as const);
    const text = JSON.stringify({ ...request, ...Object.fromEntries(native) });
    expect(text).not.toContain(SIGNATURE);
    expect(text).toContain(IDS[0]);
    expect(CLIENT_WIRES[wire].nativeEdits?.(CLIENTS[wire].first)).toEqual({});
  });
});

test('a Gemini client receives the placeholder signature for the first call from another model', () => {
  const call = { id: 'c', type: 'function', function: { name: 'read', arguments: '{}' } } as const;
  const answer = completionCalling(call, call);
  const whole = CLIENT_WIRES.gemini.fromChat(answer, {}) as { candidates: { content: { parts: Json[] } }[] };
  expect(whole.candidates[0]?.content.parts.map((part) => part['thoughtSignature'])).toEqual([
    FOREIGN,
    undefined,
  ]);
});

test('unsigned thinking is not sent to Anthropic', () => {
  const thinking = { type: 'thinking', thinking: 'x', signature: '' };
  const own = { type: 'thinking', thinking: 'y', signature: 'EqQBCg==' };
  const messages = [
    HELLO,
    { role: 'assistant', content: [thinking, { type: 'text', text: 'Hi.' }] },
    { role: 'assistant', content: [thinking] },
    { role: 'assistant', content: [own, { type: 'text', text: 'Hi.' }] },
  ];
  const { messages: left } = CLIENT_WIRES.messages.nativeEdits?.({ messages }) ?? {};
  expect(JSON.parse(String(left))).toEqual([
    HELLO,
    { role: 'assistant', content: [{ type: 'text', text: 'Hi.' }] },
    { role: 'assistant', content: [own, { type: 'text', text: 'Hi.' }] },
  ]);
});
