import { randomBytes } from 'node:crypto';
import { membersOf } from '#core/json/members-of.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import type { Clock } from '#platform/clock.ts';
import { writeForm } from '#serve/http/form.ts';
import { editMembers } from '../../shared/json-members.ts';
import { openBytes } from '../streams/open-bytes.ts';
import type { AnswerSummary, TokenUsage } from '../streams/stream.ts';
import { formFields } from './form-fields.ts';
import { isFailed, requestOrFailure, type Exchange } from './exchange.ts';
import { REMOVE_GATEWAY_MEMBERS } from './unsupported.ts';
import type {
  ChatAnswer,
  FailedAnswer,
  Provider,
  ProviderAdapter,
  ProviderLimits,
  RelayCall,
  StreamedAnswer,
  WholeAnswer,
} from './provider.ts';
import type { Relay, RelayRoute } from './other-calls.ts';
import { openEventStream } from '../streams/forward-stream.ts';
import { unchangedOutput, createUpstreamReader } from '../streams/frames.ts';
import { checkedDecoder } from '../wires/chat/format.ts';
import type { UpstreamBody, UpstreamAnswer } from './upstream.ts';
import { isCount } from '#core/numbers/is-count.ts';
import type { Json } from '../shapes/chat.ts';
import { readUsage } from '../streams/tally.ts';
import type { UnitCounts } from '../../shared/price.ts';

interface RelayParts {
  readonly adapter: ProviderAdapter;
  readonly exchange: Exchange;
  readonly limits: ProviderLimits;
  readonly clock: Clock;
  readonly unsupported: (feature: string) => FailedAnswer;
}

/** A response, with a function that reads it to its end without a client. */
type Relayed = (WholeAnswer | StreamedAnswer) & { readonly drain?: () => Promise<AnswerSummary> };

/**
 * Creates the function that calls routes whose requests and responses pass through unchanged, except for
 * the model name.
 */
export function createRelay({
  adapter,
  exchange,
  limits,
  clock,
  unsupported,
}: RelayParts): Provider['relay'] {
  const readWhole =
    ({ requiredList }: Relay, { showModel, route }: RelayCall) =>
    (bytes: Uint8Array, type: string): Relayed => {
      const json = membersOf(type.includes('json') ? parsed(bytes) : undefined);
      if (requiredList !== undefined && !Array.isArray(json[requiredList]))
        throw new Error(`The response has no \`${requiredList}\`.`);
      const isRenamed = showModel !== undefined && typeof json['model'] === 'string';
      const shown = isRenamed ? exchange.renamed('chat', { bytes, json, headers: {} }, showModel) : bytes;
      const summary = { ...NO_OUTPUT, usage: relayUsage(json, route), units: relayUnits(json, route) };
      return { kind: 'whole', bytes: shown, type, text: '', summary };
    };

  const callJson = async (relay: Relay, call: RelayCall): Promise<ChatAnswer> => {
    const { signal, isBilled } = call;
    const request = requestOrFailure(() => ({ ...requestOf(relay, call), call }));
    if (isFailed(request)) return request;
    const limit = { signal, timeoutMs: limits.answerMs };
    const read = ({ bytes }: { bytes: Uint8Array }) => readWhole(relay, call)(bytes, JSON_TYPE);
    return await exchange.json(request, limit, read, isBilled ? summaryOf : undefined);
  };

  const callAny = async (relay: Relay, call: RelayCall): Promise<ChatAnswer> => {
    const { signal, isBilled, body, hasFallback } = call;
    const request = requestOrFailure(() => ({ ...requestOf(relay, call), call }));
    if (isFailed(request)) return request;
    const isStreamed = relay.isRaw === true || body['stream'] === true;
    const limit = isStreamed
      ? {
          signal,
          timeoutMs: call.firstByteMs ?? limits.firstByteMs,
          heardMs: limits.answerMs,
          isHeardByHeaders: !hasFallback,
        }
      : { signal, timeoutMs: limits.answerMs };
    const startedAt = clock.now();
    const timing = { clock, startedAt, idleMs: limits.idleMs, maxMs: limits.streamMs, signal };
    const use = async (
      { headers, body: answer }: UpstreamAnswer,
      heard: () => void,
    ): Promise<Relayed | FailedAnswer> => {
      const type = String(headers['content-type'] ?? 'application/octet-stream');
      if (relay.events && type.startsWith('text/event-stream'))
        return await openRelayedEvents({ ...timing, exchange, limits, answer, heard, events: relay.events });
      if (relay.isRaw) {
        const opened = await openBytes({ ...timing, body: answer, summary: spokenSummary(body) });
        return { kind: 'stream', type, ...opened };
      }
      return readWhole(relay, call)(await answer.collect(limits.maxResponseBytes), type);
    };
    return await exchange.open(request, limit, use, isBilled ? summaryOf : undefined);
  };

  return async (call) => {
    const relay = adapter.relays?.[call.route];
    if (!relay) return unsupported(call.route.replaceAll('_', ' '));
    return await (relay.requiredList === undefined ? callAny(relay, call) : callJson(relay, call));
  };
}

const JSON_TYPE = 'application/json';

const NO_OUTPUT = { outputLength: 0, outputText: '', finishReason: undefined };

const summaryOf = async (answer: Relayed): Promise<AnswerSummary> =>
  answer.kind === 'whole' ? answer.summary : ((await answer.drain?.()) ?? { ...NO_OUTPUT, usage: undefined });

function requestOf(relay: Relay, { bytes, members, files, model, trace }: RelayCall) {
  const edits = { ...REMOVE_GATEWAY_MEMBERS, ...relay.edits, model: JSON.stringify(model) };
  const edited = editMembers(bytes, edits, members);
  const base = { method: 'POST', path: relay.path(model) } as const;
  if (!files) return { ...base, body: edited, headers: { ...trace, ...(relay.isRaw && ANY) } };
  const boundary = `gateway-${randomBytes(12).toString('hex')}`;
  const body = writeForm({ fields: formFields(membersOf(parsed(edited))), files }, boundary);
  const length = body.reduce((sum, piece) => sum + piece.length, 0);
  return {
    ...base,
    body,
    headers: {
      ...trace,
      ...ANY,
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(length),
    },
  };
}

const ANY = { accept: '*/*' };

function parsed(bytes: Uint8Array): unknown {
  try {
    return parseJsonText(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Speech responses contain no usage, so the audio tokens are estimated from the text. */
function spokenSummary({ input }: RelayCall['body']): AnswerSummary {
  const characters = typeof input === 'string' ? input.length : 0;
  const completionTokens = Math.ceil(characters * SPOKEN_TOKENS_PER_CHARACTER);
  return {
    ...NO_OUTPUT,
    usage: {
      promptTokens: undefined,
      completionTokens,
      cachedTokens: 0,
      cacheWriteTokens: 0,
      cacheWrite1hTokens: 0,
      reasoningTokens: 0,
      audio: { audioOutput: completionTokens },
    },
  };
}

/** OpenAI's models use 20 tokens per second of speech, which corresponds to about 15 characters. */
export const SPOKEN_TOKENS_PER_CHARACTER = 20 / 15;

interface RelayedEventsParts {
  readonly exchange: Pick<Exchange, 'errorEvent'>;
  readonly limits: ProviderLimits;
  readonly answer: UpstreamBody;
  readonly events: NonNullable<Relay['events']>;
  readonly heard: () => void;
  readonly clock: Clock;
  readonly startedAt: number;
  readonly idleMs: number;
  readonly maxMs: number;
  readonly signal: AbortSignal;
}

interface OpenedEvents extends StreamedAnswer {
  readonly drain: () => Promise<AnswerSummary>;
}

/** Opens a relayed response's events, which pass through unchanged. */
async function openRelayedEvents(parts: RelayedEventsParts): Promise<OpenedEvents | FailedAnswer> {
  const { exchange, limits, answer, events, heard, clock, startedAt, idleMs, maxMs, signal } = parts;
  const { syntax } = events;
  const decode = checkedDecoder(events.decoder, { isTranslated: false });
  const reader = createUpstreamReader({
    body: answer,
    decode,
    clock,
    idleMs,
    maxEventBytes: limits.maxEventBytes,
  });
  const opening = await openEventStream({
    reader,
    output: unchangedOutput(syntax, {}),
    syntax,
    clock,
    startedAt,
    maxMs,
    signal,
    maxSilentMs: Math.max(idleMs, limits.answerMs),
    onHeard: heard,
  });
  if (opening.kind === 'error') return exchange.errorEvent(opening.body);
  return { kind: 'stream', stream: opening.stream, drain: opening.drain };
}

/** Usage in any format of the relayed APIs: chat, responses and images, Cohere's and Jina's rerankers, and audio. */
export function relayUsage(answer: Json, route: RelayRoute): TokenUsage | undefined {
  const { usage, meta } = answer;
  const told = membersOf(usage);
  const seconds = secondsOf(told['type'] === 'duration' ? told['seconds'] : answer['duration']);
  if (seconds !== undefined) return { ...NO_TOKENS, audio: { seconds } };
  const { tokens } = membersOf(meta);
  const counts = { ...told, ...membersOf(tokens) };
  const output = counts['output_tokens'] ?? counts['completion_tokens'] ?? 0;
  const input = counts['input_tokens'] ?? counts['prompt_tokens'] ?? counts['total_tokens'];
  if (route === 'image_generations') {
    // Image models report how many of their output tokens are image tokens; if they do not, all of them
    // are.
    const { image_tokens: made = output } = membersOf(counts['output_tokens_details']);
    return readUsage({
      prompt_tokens: input,
      completion_tokens: output,
      prompt_tokens_details: counts['input_tokens_details'],
      completion_tokens_details: { image_tokens: made },
    });
  }
  const read = readUsage({ prompt_tokens: input, completion_tokens: output });
  const { audio_tokens: audioInput } = membersOf(told['input_token_details']);
  return read && isCount(audioInput) ? { ...read, audio: { audioInput } } : read;
}

/** The number of images, and of rerankers' search units, in the formats of the relayed APIs. */
function relayUnits({ data, meta }: Json, route: RelayRoute): UnitCounts | undefined {
  if (route === 'image_generations' && Array.isArray(data)) return { images: data.length };
  const { search_units: queries } = membersOf(membersOf(meta)['billed_units']);
  return route === 'rerank' && isCount(queries) ? { queries } : undefined;
}

const NO_TOKENS = {
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  cacheWrite1hTokens: 0,
  reasoningTokens: 0,
};

/** A single recording is never longer than a month. */
const MAX_SECONDS = 2_678_400;

/** Older responses contain the length as text. */
function secondsOf(value: unknown): number | undefined {
  const seconds = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof seconds === 'number' && seconds > 0 && seconds <= MAX_SECONDS ? seconds : undefined;
}
