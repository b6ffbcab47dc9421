import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ChatAnswer, Provider } from '#gateway/providers/adapters/provider.ts';
import type { Wire } from '#gateway/providers/shapes/chat.ts';
import { providerKinds, RECORDED } from '../../recorded-answers.ts';
import { mutated } from '../../mutated.ts';
import { startScripted } from '../../scripted-provider.ts';
import { callOf, chatBody, failureOf, jsonOf, providerOf, readStream } from '../../test-provider.ts';

const scripted = await startScripted();

const providers: Readonly<Record<keyof typeof RECORDED, Provider>> = {
  openai: providerOf('openai', scripted.provider, { dialect: { hasResponses: true } }),
  compatible: providerOf('openai', scripted.provider),
  anthropic: providerOf('anthropic', scripted.provider),
  gemini: providerOf('gemini', scripted.provider),
};

const WIRES: readonly Wire[] = ['chat', 'messages', 'responses'];
const pairs = providerKinds.flatMap((kind) => WIRES.map((wire) => [kind, wire] as const));

const askedOver = (wire: Wire, stream: boolean): Record<string, unknown> => ({
  ...(wire === 'responses' ? { model: 'm', input: 'Hello' } : chatBody('m', { max_tokens: 9 })),
  ...(stream && { stream }),
});

const NOT_OURS = /^(?:told|provider_error|stream_incomplete)$/;
const outcomeOf = (told: ChatAnswer): string => (told.kind === 'failed' ? told.failure.kind : 'told');

const UNTOLD = { text: '', length: 0 };
async function allOf(told: ChatAnswer): Promise<typeof UNTOLD> {
  const { text, summary } = await readStream(told);
  return { text, length: summary.outputLength };
}

test.each(pairs)(
  '%s over %s: a response of any shape is returned or reported as a provider error',
  async (kind, wire) => {
    const shape = kind === 'openai' && wire === 'responses' ? 'response' : 'whole';
    await fc.assert(
      fc.asyncProperty(mutated(RECORDED[kind][shape]), async (answer) => {
        scripted.says(Array.isArray(answer) ? {} : answer);
        const told = await providers[kind].chat(callOf(wire, askedOver(wire, false)));
        expect(outcomeOf(told)).toMatch(NOT_OURS);
      }),
      { numRuns: 150 },
    );
  },
);

test.each(pairs)(
  '%s over %s: stream events of any shape never cause an internal error',
  async (kind, wire) => {
    const shape = kind === 'openai' && wire === 'responses' ? 'responseEvents' : 'events';
    await fc.assert(
      fc.asyncProperty(mutated(RECORDED[kind][shape]), async (events) => {
        scripted.says(events);
        const told = await providers[kind].chat(callOf(wire, askedOver(wire, true)));
        expect(outcomeOf(told)).toMatch(NOT_OURS);
        const { text, length } = told.kind === 'failed' ? UNTOLD : await allOf(told);
        expect(text).not.toMatch(/internal_error|undefined|NaN/);
        expect(Number.isSafeInteger(length)).toBe(true);
      }),
      { numRuns: 150 },
    );
  },
);

test.each(['openai', 'gemini'] as const)(
  '%s: embeddings of any shape never cause an internal error',
  async (kind) => {
    await fc.assert(
      fc.asyncProperty(mutated(RECORDED[kind].vectors), fc.boolean(), async (answer, asBase64) => {
        scripted.says(Array.isArray(answer) ? {} : answer);
        const format = asBase64 ? { encoding_format: 'base64' } : {};
        const told = await providers[kind].embed(callOf('chat', { model: 'm', input: 'Hello', ...format }));
        expect(outcomeOf(told)).toMatch(NOT_OURS);
        const data = told.kind === 'failed' ? [] : (jsonOf(told)['data'] as object[]);
        expect(data.filter((vector) => !('embedding' in vector))).toEqual([]);
      }),
      { numRuns: 150 },
    );
  },
);

const message = (fields: object): object => ({
  choices: [{ index: 0, message: { content: 'Hi', ...fields } }],
});
const CUSTOM = [{ id: 'a', type: 'custom', custom: { name: 'shell', input: 'ls' } }];

test.each<readonly [string, object]>([
  ['tool_calls of an unknown type', message({ tool_calls: CUSTOM })],
  ['an empty call', message({ tool_calls: [{}] })],
  ...[5, {}, true, [null]].map(
    (content) => [`content ${JSON.stringify(content)}`, message({ content })] as const,
  ),
  ['no choices', { choices: [] }],
])('a response with %s is a provider error on protocols that cannot represent it', async (_what, answer) => {
  scripted.says(answer);
  for (const wire of ['messages', 'responses'] as const) {
    const told = await providers.compatible.chat(callOf(wire, askedOver(wire, false)));
    expect(failureOf(told)).toMatchObject({
      kind: 'provider_error',
      error: { code: 'UpstreamError', message: 'LLM provider error', reason: 'provider_error' },
    });
  }
});

test("tool calls of an unknown type pass through on the provider's own protocol", async () => {
  scripted.says(message({ tool_calls: CUSTOM }));
  const told = await providers.compatible.chat(callOf('chat', askedOver('chat', false)));
  expect(jsonOf(told)).toEqual(message({ tool_calls: CUSTOM }));
});

test.each([{ choices: [] }, { hello: 1 }])('%j is rejected as a chat response', async (answer) => {
  scripted.says(answer);
  const told = await providers.compatible.chat(callOf('chat', askedOver('chat', false)));
  expect(failureOf(told).kind).toBe('provider_error');
});

test.each([{ hello: 1 }, { data: 5 }, { data: [] }, { data: [null] }, { data: [{}] }])(
  '%j contains no embeddings and is not billed',
  async (answer) => {
    scripted.says(answer);
    const told = await providers.openai.embed(callOf('chat', { model: 'm', input: 'Hello' }));
    expect(failureOf(told).kind).toBe('provider_error');
  },
);

test('text parts of a response are converted for the Messages protocol, and malformed parts are omitted', async () => {
  scripted.says(
    message({
      content: [
        { type: 'thinking', thinking: [] },
        { type: 'text', text: 'Hi' },
      ],
    }),
  );
  const told = await providers.compatible.chat(callOf('messages', askedOver('messages', false)));
  expect(jsonOf(told)).toMatchObject({ content: [{ type: 'text', text: 'Hi' }] });
});

const delta = (fields: object, finish: string | null = null): object => ({
  choices: [{ index: 0, delta: fields, finish_reason: finish }],
});

test.each(WIRES.flatMap((wire) => [5, {}, 'x', [null]].map((calls) => [wire, calls] as const)))(
  'over %s: an event with the invalid tool calls %j is skipped, and the stream continues',
  async (wire, calls) => {
    scripted.says([
      delta({ content: 'One ' }),
      delta({ tool_calls: calls }),
      delta({ content: 'two' }),
      delta({}, 'stop'),
      '[DONE]',
    ]);
    const { text, summary } = await readStream(
      await providers.compatible.chat(callOf(wire, askedOver(wire, true))),
    );
    expect(summary).toMatchObject({ outcome: 'complete', outputLength: 'One two'.length });
    expect(text).not.toMatch(/internal_error|upstream_stream_incomplete/);
  },
);

const usageOver = async (wire: Wire, usage: object): Promise<unknown> => {
  scripted.says({ ...message({}), usage });
  return jsonOf(await providers.compatible.chat(callOf(wire, askedOver(wire, false))))['usage'];
};

test.each([
  { prompt_tokens: '21', completion_tokens: '9' },
  { prompt_tokens: 21, completion_tokens: -9 },
])('the invalid token count %j is not returned', async (usage) => {
  expect(await usageOver('responses', usage)).toMatchObject({
    input_tokens: 0,
    output_tokens: 0,
    total_tokens: 0,
  });
  expect(await usageOver('messages', usage)).toMatchObject({ input_tokens: 0, output_tokens: 0 });
});

test('missing output tokens are estimated if only prompt tokens are reported, buffered and streamed', async () => {
  const usage = { prompt_tokens: 12 };
  scripted.says({ ...message({}), usage });
  expect(await providers.compatible.chat(callOf('chat', askedOver('chat', false)))).toMatchObject({
    summary: { usage: { promptTokens: 12, completionTokens: undefined }, outputLength: 2 },
  });
  scripted.says([delta({ content: 'Hi' }), { ...delta({}, 'stop'), usage }, '[DONE]']);
  const { summary } = await readStream(
    await providers.compatible.chat(callOf('chat', askedOver('chat', true))),
  );
  expect(summary).toMatchObject({
    usage: { promptTokens: 12, completionTokens: undefined },
    outputLength: 2,
  });
});

test('the usage of embeddings includes only prompt tokens', async () => {
  scripted.says({ ...RECORDED.openai.vectors, usage: { prompt_tokens: 8 } });
  const told = await providers.openai.embed(callOf('chat', { model: 'm', input: 'Hello' }));
  expect(told).toMatchObject({ summary: { usage: { promptTokens: 8, completionTokens: 0 } } });
});
