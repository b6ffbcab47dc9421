import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  readAnthropicAnswer as fromAnthropic,
  anthropicDecoder,
} from '#gateway/providers/adapters/anthropic/answer.ts';
import { anthropicRequest } from '#gateway/providers/adapters/anthropic/request.ts';
import { geminiRequest } from '#gateway/providers/adapters/gemini/request.ts';
import { responsesUpstream as upstreamResponses } from '#gateway/providers/adapters/openai/responses.ts';
import { readEvent, createFrameSplitter } from '#serve/event-stream/event-frames.ts';
import type { EventDecoder, EventEncoder } from '#gateway/providers/streams/stream.ts';
import { talliedText } from '#gateway/providers/streams/tally.ts';
import type {
  ChatChunk,
  ChatCompletion,
  ChatMessage,
  ChatRequest,
  ToolCall,
} from '#gateway/providers/shapes/chat.ts';
import { messagesWire } from '#gateway/providers/wires/messages/wire.ts';
import { responsesWire } from '#gateway/providers/wires/responses/wire.ts';

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
const id = fc.stringMatching(/^[a-z0-9]{1,8}$/);
const call = fc
  .record({ id, name: fc.constantFrom('weather', 'news'), input: fc.dictionary(id, fc.jsonValue()) })
  .map(({ id, name, input }): ToolCall => ({
    id: `call_${id}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }));
const calls = fc.uniqueArray(call, { selector: (one) => one.id, minLength: 1, maxLength: 3 });
const image = fc.constantFrom('data:image/png;base64,AAAA', 'https://example.com/a.png');

/** A user message, or a response with tool calls and their results. */
const turn = fc.oneof(
  text.map((content): ChatMessage[] => [
    { role: 'user', content },
    { role: 'assistant', content: 'ok' },
  ]),
  fc.tuple(text, image).map(([said, url]): ChatMessage[] => [
    {
      role: 'user',
      content: [
        { type: 'text', text: said },
        { type: 'image_url', image_url: { url } },
      ],
    },
    { role: 'assistant', content: 'ok' },
  ]),
  fc
    .tuple(text, calls, text)
    .map(([said, called, result]): ChatMessage[] => [
      { role: 'user', content: said },
      { role: 'assistant', content: null, tool_calls: called },
      ...called.map((one): ChatMessage => ({ role: 'tool', tool_call_id: one.id, content: result })),
      { role: 'assistant', content: 'done' },
    ]),
);

const request = fc
  .record({
    system: fc.option(text),
    turns: fc.array(turn, { minLength: 1, maxLength: 4 }),
    max_tokens: fc.integer({ min: 1, max: 1000 }),
    temperature: fc.option(
      fc.double({ min: 0, max: 1, noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
    ),
    stop: fc.option(fc.array(text, { minLength: 1, maxLength: 3 })),
    choice: fc.constantFrom('auto' as const, 'required' as const, 'none' as const),
    user: fc.option(id),
  })
  .map(({ system, turns, max_tokens, temperature, stop, choice, user }): ChatRequest => ({
    model: 'm',
    messages: [...(system === null ? [] : [{ role: 'system', content: system }]), ...turns.flat()],
    max_tokens,
    ...(temperature !== null && { temperature }),
    ...(stop !== null && { stop }),
    ...(user !== null && { user }),
    tools: [
      { type: 'function', function: { name: 'weather', description: 'd', parameters: { type: 'object' } } },
    ],
    tool_choice: choice,
  }));

test("a request survives a round trip through Anthropic's format", () => {
  fc.assert(
    fc.property(request, (chat) => {
      expect(messagesWire.toChat(anthropicRequest(chat, 'm'))).toEqual(chat);
    }),
  );
});

test('Gemini receives every text, call and result of a request, with alternating roles', () => {
  fc.assert(
    fc.property(request, (chat) => {
      const { contents } = geminiRequest(chat, 'gemini-2.5-flash') as {
        contents: { role: string; parts: Record<string, unknown>[] }[];
      };
      const roles = contents.map(({ role }) => role);
      expect(roles).toEqual(roles.map((_role, at) => (at % 2 === 0 ? 'user' : 'model')));
      const parts = contents.flatMap((content) => content.parts);
      const count = (name: string): number => parts.filter((part) => part[name] !== undefined).length;
      const called = chat.messages.flatMap((message) => message.tool_calls ?? []);
      expect(
        parts.flatMap((part) => (part['functionCall'] as { args?: unknown } | undefined)?.args ?? []),
      ).toEqual(called.map((one) => JSON.parse(one.function.arguments) as unknown));
      expect(count('functionResponse')).toBe(called.length);
    }),
  );
});

const completion = fc
  .record({
    content: fc.option(text),
    calls: fc.option(calls),
    thought: fc.option(text),
    finish: fc.constantFrom('stop', 'length', 'content_filter'),
    prompt: fc.nat(1000),
    cached: fc.nat(100),
    output: fc.nat(1000),
  })
  .map(({ content, calls, thought, finish, prompt, cached, output }): ChatCompletion => {
    const total = prompt + cached;
    return {
      id: 'x',
      object: 'chat.completion',
      created: 0,
      model: 'm',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: content ?? null,
            ...(thought !== null && { reasoning_content: thought }),
            ...(calls !== null && { tool_calls: calls }),
          },
          finish_reason: calls === null ? finish : 'tool_calls',
        },
      ],
      usage: {
        prompt_tokens: total,
        completion_tokens: output,
        total_tokens: total + output,
        prompt_tokens_details: { cached_tokens: cached, cache_write_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0 },
      },
    };
  });

test("a response survives a round trip through Anthropic's format", () => {
  fc.assert(
    fc.property(completion, (answer) => {
      const there = messagesWire.fromChat(answer, {});
      expect(fromAnthropic(there)).toEqual(answer);
    }),
  );
});

test('a response survives a round trip through the Responses format', () => {
  fc.assert(
    fc.property(completion, (answer) => {
      const back = upstreamResponses.answer(responsesWire.fromChat(answer, { model: 'm' })) as ChatCompletion;
      const [given] = answer.choices;
      expect(back.choices[0]?.message.content).toBe(given?.message.content ?? '');
      expect(back.choices[0]?.message.tool_calls).toEqual(given?.message.tool_calls ?? []);
      expect(back.usage?.prompt_tokens).toBe(answer.usage?.prompt_tokens);
      expect(back.choices[0]?.finish_reason).toBe(given?.finish_reason);
    }),
  );
});

const lettersOf = (said: string): string[] => Array.from(said);

/** The response as a model would stream it. */
function chunksOf({ choices, usage }: ChatCompletion): ChatChunk[] {
  const [choice] = choices;
  const { content, reasoning_content: thought, tool_calls: called } = choice?.message ?? {};
  const delta = (one: object): ChatChunk => ({ id: 'x', model: 'm', choices: [{ index: 0, delta: one }] });
  return [
    delta({ role: 'assistant', content: '' }),
    ...lettersOf(thought ?? '').map((letter) => delta({ reasoning_content: letter })),
    ...lettersOf((content as string | null) ?? '').map((letter) => delta({ content: letter })),
    ...(called ?? []).flatMap((one, index) => [
      delta({
        tool_calls: [
          { index, id: one.id, type: 'function', function: { name: one.function.name, arguments: '' } },
        ],
      }),
      ...lettersOf(one.function.arguments).map((letter) =>
        delta({ tool_calls: [{ index, function: { arguments: letter } }] }),
      ),
    ]),
    { id: 'x', choices: [{ index: 0, delta: {}, finish_reason: choice?.finish_reason ?? 'stop' }] },
    { id: 'x', choices: [], usage: usage ?? null },
  ];
}

function decodeAll(decode: EventDecoder<unknown>, bytes: string): ChatChunk[] {
  const frames = createFrameSplitter().push(Buffer.from(bytes));
  return frames.flatMap((frame) => {
    const { event, data } = readEvent(frame);
    const step = decode(event, data ?? '');
    return 'chunks' in step ? [...((step.chunks ?? []) as ChatChunk[])] : [];
  });
}

function encodeAll(encoder: EventEncoder, chunks: readonly ChatChunk[]): string {
  const said = chunks.map((chunk) => encoder.encode([chunk])).join('');
  const { last, terminal } = encoder.end();
  return said + last + terminal;
}

const FACTS = { model: 'm', created: 1 };
const written = (chunks: readonly ChatChunk[]): string => chunks.map(talliedText).join('');
const finishOf = (chunks: readonly ChatChunk[]): unknown =>
  chunks
    .flatMap(({ choices = [] }) => choices.map(({ finish_reason: reason }) => reason ?? []))
    .flat()
    .at(-1);

test("a stream survives a round trip through Anthropic's events", () => {
  fc.assert(
    fc.property(completion, (answer) => {
      const chunks = chunksOf(answer);
      const back = decodeAll(anthropicDecoder(), encodeAll(messagesWire.encoder({}, FACTS), chunks));
      expect(written(back)).toBe(written(chunks));
      expect(finishOf(back)).toBe(finishOf(chunks));
      expect(back.at(-1)?.usage).toEqual(answer.usage);
    }),
  );
});

test('a stream survives a round trip through the Responses events, except for its reasoning', () => {
  fc.assert(
    fc.property(completion, (answer) => {
      const chunks = chunksOf(answer);
      const bytes = encodeAll(responsesWire.encoder({}, FACTS), chunks);
      const [{ content, tool_calls: called }] = answer.choices.map(({ message }) => message) as [ChatMessage];
      const back = decodeAll(upstreamResponses.decoder(), bytes);
      const wanted = `${(content as string | null) ?? ''}${(called ?? []).map((one) => one.function.name + one.function.arguments).join('')}`;
      expect(written(back)).toBe(wanted);
      expect(back.at(-1)?.usage?.prompt_tokens).toBe(answer.usage?.prompt_tokens);
      const numbers = [...bytes.matchAll(/"sequence_number":(\d+)/g)].map(([, number]) => Number(number));
      expect(numbers).toEqual(numbers.map((_number, at) => at));
    }),
  );
});

test.each([
  ['responses', responsesWire, { input: 'x', previous_response_id: 'resp_1' }],
  ['responses', responsesWire, { input: 'x', background: true }],
] as const)('%s: features that no other provider supports are rejected', (_name, wire, body) => {
  expect(() => wire.toChat({ model: 'm', ...body })).toThrow(
    expect.objectContaining({ code: 'NotImplementedError' }),
  );
});
