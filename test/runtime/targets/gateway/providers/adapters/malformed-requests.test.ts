import { createTokenCounter } from '#gateway/requests/tokens/token-counter.ts';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { runAtOnce } from '#platform/run-yielding.ts';
import { createBodyParser } from '#serve/http/body.ts';
import type { Endpoint } from '#gateway/requests/completions/completion.ts';
import { ENDPOINTS } from '#gateway/requests/completions/endpoints/index.ts';
import { countTokensOfRequest } from '#gateway/requests/completions/estimate.ts';
import type { Provider } from '#gateway/providers/adapters/provider.ts';
import type { Wire } from '#gateway/providers/shapes/chat.ts';
import { mutated } from '../../mutated.ts';
import { RECORDED } from '../../recorded-answers.ts';
import { REQUESTS } from '../../recorded-requests.ts';
import { startScripted } from '../../scripted-provider.ts';
import { callOf, failureOf, providerOf } from '../../test-provider.ts';

const scripted = await startScripted();
const providers = {
  compatible: providerOf('openai', scripted.provider),
  anthropic: providerOf('anthropic', scripted.provider),
  gemini: providerOf('gemini', scripted.provider),
};
type Kind = keyof typeof providers;
const ROUTES: Readonly<Record<Wire, Endpoint>> = {
  chat: '/v1/chat/completions',
  messages: '/v1/messages',
  responses: '/v1/responses',
  completions: '/v1/completions',
  gemini: '/v1beta/models/{model}:generateContent',
};
const counter = createTokenCounter();
await counter.loading(['openai:gpt-4o']);
const parse = createBodyParser({ maxDepth: 200 });

/** A request that the schema of its route accepts is forwarded; undefined for a rejected one. */
async function outcomeOf(provider: Provider, wire: Wire, asked: unknown): Promise<string | undefined> {
  const rules = ENDPOINTS[ROUTES[wire]];
  let body: Record<string, unknown>;
  try {
    body = runAtOnce(parse(Buffer.from(JSON.stringify(asked)), rules.schema)) as Record<string, unknown>;
  } catch {
    return undefined;
  }
  void countTokensOfRequest(counter, rules, body, ['openai:gpt-4o']);
  rules.maxOutputTokens(body, 9);
  const answer = await provider.chat(callOf(wire, body));
  return answer.kind === 'failed' ? answer.failure.kind : answer.kind;
}

const kinds = Object.keys(providers) as Kind[];
const wires = Object.keys(ROUTES) as Wire[];

test.each(kinds.flatMap((kind) => wires.map((wire) => [wire, kind] as const)))(
  'over %s to %s, a request of any shape is translated or rejected',
  async (wire, kind) => {
    scripted.says(RECORDED[kind].whole);
    expect(await outcomeOf(providers[kind], wire, REQUESTS[wire])).toBe('whole');
    await fc.assert(
      fc.asyncProperty(mutated(REQUESTS[wire]), async (asked) => {
        const outcome = await outcomeOf(providers[kind], wire, asked);
        // A requested `stream` is not sent.
        expect(['whole', 'bad_request', 'unsupported', 'provider_error', undefined]).toContain(outcome);
      }),
      { numRuns: 400 },
    );
  },
);

const chat = (fields: object): object => ({
  model: 'm',
  messages: [{ role: 'user', content: 'Hi' }],
  ...fields,
});
const messages = (content: unknown): object => ({
  model: 'm',
  max_tokens: 9,
  messages: [{ role: 'user', content }],
});
const result = (content: unknown): object => messages([{ type: 'tool_result', tool_use_id: 'x', content }]);
const responses = (input: unknown): object => ({ model: 'm', input });
const ODD = [5, {}, true, [null]];

test.each<readonly [Wire, Kind, object, string]>([
  [
    'chat',
    'gemini',
    chat({ tools: [{ type: 'function' }] }),
    'tools[0].function must be an object, but it is missing',
  ],
  [
    'chat',
    'anthropic',
    chat({ tools: [{ type: 'function', function: null }] }),
    'tools[0].function must be an object, not null',
  ],
  ['chat', 'anthropic', chat({ tools: [{}] }), 'tools[0].type must be text, but it is missing'],
  ...ODD.map((odd) => ['messages', 'gemini', result(odd), 'messages[0].content[0].content'] as const),
  ...ODD.map((odd) => ['messages', 'compatible', result(odd), 'messages[0].content[0].content'] as const),
  ...ODD.map(
    (odd) =>
      ['responses', 'compatible', responses([{ role: 'user', content: odd }]), 'input[0].content'] as const,
  ),
  ['responses', 'gemini', responses([{ content: 'Hi' }]), 'input[0].role must be text, but it is missing'],
  [
    'responses',
    'gemini',
    responses([{ type: 'function_call_output', call_id: 'a', output: { ok: true } }]),
    'input[0].output must be text or a list of parts, not an object',
  ],
])('over %s to %s, %j is rejected: %s', async (wire, kind, body, message) => {
  const told = failureOf(await providers[kind].chat(callOf(wire, body as Record<string, unknown>)));
  expect(told).toMatchObject({ kind: 'bad_request', error: { code: 'MalformedError' } });
  expect(told.error.message).toContain(message);
});
