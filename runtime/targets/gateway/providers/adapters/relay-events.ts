import type { Clock } from '#platform/clock.ts';
import { openStream } from '../streams/open-stream.ts';
import { unchangedOutput } from '../streams/stream-output.ts';
import type { AnswerSummary } from '../streams/stream.ts';
import { createUpstreamReader } from '../streams/upstream-reader.ts';
import { checkedDecoder } from '../wires/chat/read-answer.ts';
import type { Exchange } from './exchange.ts';
import type { UpstreamBody } from './http/upstream-body.ts';
import type { FailedAnswer, ProviderLimits, StreamedAnswer } from './provider.ts';
import type { Relay } from './relay-route.ts';

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

/** Opens the events of a relayed answer, which pass through unchanged. */
export async function openRelayedEvents(parts: RelayedEventsParts): Promise<OpenedEvents | FailedAnswer> {
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
  const opening = await openStream({
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
