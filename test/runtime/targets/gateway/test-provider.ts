import { pass } from '#gateway/requests/policy/pass.ts';
import type { Passed } from '#gateway/providers/shapes/passed.ts';
import { systemClock, type Clock } from '#platform/clock.ts';
import type {
  ChatAnswer,
  FailedAnswer,
  Provider,
  ProviderCall,
  ProviderInstance,
  StreamedAnswer,
  WholeAnswer,
} from '#gateway/providers/adapters/provider.ts';
import type { Wire } from '#gateway/providers/shapes/chat.ts';
import { openProvider } from '#gateway/providers/adapters/open-provider.ts';
import {
  KEEP_ALIVE_TEXT,
  type ForwardOptions,
  type StreamSummary,
} from '#gateway/providers/streams/stream.ts';
import { readablePieces } from '#serve/http/fetch-exchange.ts';
import type { FixtureProvider, FixtureWire } from './fixture-provider.ts';

/** Long enough to be found wherever it leaks. */
export const CANARY = 'sk-canary-4d1f0a7be2';

const PATHS: Readonly<Record<OwnName, string>> = {
  openai: '/v1',
  anthropic: '',
  gemini: '',
  encoder: '',
};

/** Provider fixtures that require only an address and a key. */
type OwnName = FixtureWire | 'encoder';

/** The real provider in front of a fixture. It does not have to be closed, because its connections close with the fixture process. */
export function providerOf(
  type: OwnName,
  fixture: FixtureProvider,
  options: Partial<ProviderInstance> & { readonly clock?: Clock } = {},
): Provider {
  const { clock = systemClock, ...instance } = options;
  return openProvider(
    {
      name: type,
      type,
      baseUrl: `${fixture.url}${PATHS[type]}`,
      apiKey: CANARY,
      headers: { 'x-extra-secret': 'canary-in-a-header' },
      local: true,
      ...instance,
    },
    { clock, random: () => 0.5, onLine: () => undefined },
  );
}

/** A call as a route creates it from a body. */
export function callOf(
  wire: Wire,
  body: Readonly<Record<string, unknown>>,
  options: Partial<ProviderCall> = {},
): Passed<ProviderCall> {
  return pass({
    wire,
    model: String(body['model']),
    body,
    bytes: Buffer.from(JSON.stringify(body)),
    signal: new AbortController().signal,
    ...options,
  });
}

export const chatBody = (
  model: string,
  more: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> => ({
  model,
  messages: [{ role: 'user', content: 'Hello' }],
  ...more,
});

export function wholeOf(answer: ChatAnswer): WholeAnswer {
  if (answer.kind !== 'whole') throw new Error(`not a whole answer: ${describe(answer)}`);
  return answer;
}

export const jsonOf = (answer: ChatAnswer): Record<string, unknown> =>
  JSON.parse(Buffer.from(wholeOf(answer).bytes).toString()) as Record<string, unknown>;

export function streamOf(answer: ChatAnswer): StreamedAnswer['stream'] {
  if (answer.kind !== 'stream') throw new Error(`not a stream: ${describe(answer)}`);
  return answer.stream;
}

export function failureOf(answer: ChatAnswer): FailedAnswer['failure'] {
  if (answer.kind !== 'failed') throw new Error(`not a failure: ${answer.kind}`);
  return answer.failure;
}

const describe = (answer: ChatAnswer): string =>
  answer.kind === 'failed' ? `${answer.failure.kind}, ${answer.failure.error.message}` : answer.kind;

export interface ReadStream {
  readonly text: string;
  readonly summary: StreamSummary;
}

/** Reads a whole stream; returns its text and usage summary. */
export async function readStream(
  answer: ChatAnswer,
  { keepAliveMs = 600_000, ...options }: Partial<ForwardOptions & { keepAliveMs: number }> = {},
): Promise<ReadStream> {
  let summary: StreamSummary | undefined;
  const { clock = systemClock } = options;
  const forwarded = streamOf(answer).forward({
    ...options,
    clock,
    async settle(settled) {
      summary = settled;
      await options.settle?.(settled);
    },
  });
  const body = readablePieces(forwarded, { text: KEEP_ALIVE_TEXT, milliseconds: keepAliveMs }, clock);
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  const text = Buffer.concat(pieces).toString();
  if (!summary) throw new Error('The accounts were not settled.');
  return { text, summary };
}

/** The events of a stream as `[name, data]`; comments are omitted. */
export const eventsOf = (text: string): (readonly [string | undefined, string])[] =>
  text
    .split('\n\n')
    .filter((event) => event.includes('data: '))
    .map((event) => [/^event: (.*)$/m.exec(event)?.[1], /^data: (.*)$/m.exec(event)?.[1] ?? ''] as const);

export const REPLY = 'Grüße aus 東京 🌍: Hello';
export const TOOL_ARGUMENTS = { city: 'Zürich 東京 🌍', days: 3 };

/** The content of all chunks of a chat stream. */
export function contentOf(text: string): string {
  return eventsOf(text)
    .filter(([, data]) => data !== '[DONE]')
    .map(
      ([, data]) =>
        (JSON.parse(data) as { choices?: { delta?: { content?: string } }[] }).choices?.[0]?.delta?.content ??
        '',
    )
    .join('');
}
