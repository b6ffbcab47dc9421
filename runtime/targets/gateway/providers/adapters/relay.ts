import { randomBytes } from 'node:crypto';
import { membersOf } from '#core/json/members-of.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import type { Clock } from '#platform/clock.ts';
import { writeForm } from '../../shared/form.ts';
import { editMembers } from '../../shared/json-members.ts';
import { openBytes } from '../streams/open-bytes.ts';
import type { AnswerSummary } from '../streams/stream.ts';
import { formFields } from './form-fields.ts';
import type { Exchange } from './exchange.ts';
import { isFailed, requestOrFailure } from './failure.ts';
import { REMOVE_GATEWAY_MEMBERS } from './gateway-members.ts';
import type {
  ChatAnswer,
  FailedAnswer,
  Provider,
  ProviderAdapter,
  ProviderLimits,
  RelayCall,
  StreamedAnswer,
  UpstreamAnswer,
  WholeAnswer,
} from './provider.ts';
import type { Relay } from './relay-route.ts';
import { openRelayedEvents } from './relay-events.ts';
import { relayUnits, relayUsage } from './relay-usage.ts';

export interface RelayParts {
  readonly adapter: ProviderAdapter;
  readonly exchange: Exchange;
  readonly limits: ProviderLimits;
  readonly clock: Clock;
  readonly unsupported: (feature: string) => FailedAnswer;
}

/** An answer with how to read it to its end without a client. */
type Relayed = (WholeAnswer | StreamedAnswer) & { readonly drain?: () => Promise<AnswerSummary> };

/** Creates the function for routes whose requests and answers pass through unchanged, but for the name of the model. */
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
    const request = requestOrFailure(() => requestOf(relay, call));
    if (isFailed(request)) return request;
    const limit = { signal, timeoutMs: limits.answerMs };
    const read = ({ bytes }: { bytes: Uint8Array }) => readWhole(relay, call)(bytes, JSON_TYPE);
    return await exchange.json(request, limit, read, isBilled ? summaryOf : undefined);
  };

  const callAny = async (relay: Relay, call: RelayCall): Promise<ChatAnswer> => {
    const { signal, isBilled, body, hasFallback } = call;
    const request = requestOrFailure(() => requestOf(relay, call));
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

/** Speech has no usage in its answer, so its length is estimated from the text. */
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

/** OpenAI's models have 20 tokens for a second of speech, in which about 15 characters are spoken. */
export const SPOKEN_TOKENS_PER_CHARACTER = 20 / 15;
