import type { JsonClient } from '#serve/client/json-client.ts';
import type { Clock } from '#platform/clock.ts';
import type { Provider } from '../../../providers/adapters/provider.ts';
import type { CheckedRequest, GuardrailPlace, WebhookProfile } from '../guardrail.ts';
import type { Steps } from '#core/limits/steps.ts';

/** The result of one check of all texts in a request or response. */
export interface Judgement {
  readonly valid: boolean;
  readonly score: number;
  readonly explanation: string;
  /** Number of masked values of each kind. */
  readonly masked?: Readonly<Record<string, number>> | undefined;
}

/** The subject of a check. */
export interface Judged extends CheckedRequest {
  readonly place: GuardrailPlace;
  readonly texts: readonly string[];
}

/** Connections to the webhook servers. */
export interface Webhooks {
  of(profile: WebhookProfile): JsonClient;
  close(): Promise<void>;
}

export interface JudgeServices {
  /** The encoder with this name. */
  readonly classifier: (name: string) => Provider | undefined;
  readonly webhooks: Webhooks;
  readonly clock: Clock;
}

/** A part of a text found by a check. */
export interface FoundSpan {
  readonly start: number;
  readonly end: number;
  /** Entity type, or pattern name. */
  readonly label: string;
  readonly score: number;
}

/** Number of spans handled per step. */
export const SPANS_PER_STEP = 256;

/**
 * Sorted spans without overlaps: if two overlap, the longer one is kept. A text can have hundreds of
 * thousands of spans.
 */
export function* withoutOverlaps<Span extends FoundSpan>(spans: readonly Span[]): Steps<Span[]> {
  const kept: Span[] = [];
  let group: Span[] = [];
  let groupEnd = 0;
  let work = 0;
  for (const span of spans.toSorted((one, other) => one.start - other.start)) {
    if (group.length > 0 && span.start >= groupEnd) {
      for (const one of longestOf(group)) kept.push(one);
      group = [];
    }
    groupEnd = group.length === 0 ? span.end : Math.max(groupEnd, span.end);
    group.push(span);
    work += 1;
    if (work % SPANS_PER_STEP === 0) yield;
  }
  for (const one of longestOf(group)) kept.push(one);
  return kept;
}

/**
 * Returns the longest spans in a chain of overlapping spans that do not overlap each other, in order. Spans
 * are considered from the longest to the shortest, so a span that overlaps a kept one starts or ends inside
 * the kept one.
 */
function longestOf<Span extends FoundSpan>(group: readonly Span[]): readonly Span[] {
  if (group.length <= 1) return group;
  const longestFirst = group.toSorted(
    (one, other) => other.end - other.start - (one.end - one.start) || one.start - other.start,
  );
  const first = longestFirst.reduce((least, { start }) => Math.min(least, start), Infinity);
  const last = longestFirst.reduce((most, { end }) => Math.max(most, end), 0);
  const covered = new Uint8Array(last - first + 1);
  const kept = longestFirst.filter(({ start, end }) => {
    if (covered[start - first] || covered[Math.max(start, end - 1) - first]) return false;
    covered.fill(1, start - first, end - first);
    return true;
  });
  return kept.toSorted((one, other) => one.start - other.start);
}

/** The number of spans by label. */
export function countSpans(spans: readonly FoundSpan[]): Readonly<Record<string, number>> {
  const byLabel = Map.groupBy(spans, ({ label }) => label);
  return Object.fromEntries([...byLabel].map(([label, all]) => [label, all.length]));
}

/** The number of spans by label, e.g. `PER 2, ORG 1`. */
export function describeSpans(spans: readonly (readonly FoundSpan[])[]): string {
  const counts = Object.entries(countSpans(spans.flat()));
  return counts.map(([label, count]) => `${label} ${count}`).join(', ') || 'nothing found';
}

/** Length, in UTF-16 code units, of the windows into which a text is split for an encoder. */
export const WINDOW_LENGTH = 400;

export const WINDOW_OVERLAP = 80;

export const ENCODER_TIMEOUT_MS = 5000;

/** Maximum number of windows per request to an encoder. */
export const MAX_WINDOWS_PER_REQUEST = 256;

export const PATTERN_TIMEOUT_MS = 1000;

export const WEBHOOK_TIMEOUT_MS = 3000;

interface TimeLimit {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** Runs a function with a signal that is aborted on timeout or when the client disconnects. */
export async function limitTime<Result>(
  { clock, signal, timeoutMs }: TimeLimit,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const control = new AbortController();
  const stop = (): void => control.abort();
  const disarm = clock.after(timeoutMs, stop);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await work(control.signal);
  } finally {
    disarm();
    signal.removeEventListener('abort', stop);
  }
}

/** A window of a text, with its start position. */
interface TextWindow {
  readonly start: number;
  readonly text: string;
}

/**
 * Splits a text into windows of at most `size` UTF-16 code units, each starting `overlap` before the end of
 * the previous one: any text shorter than the overlap is contained completely in one of them.
 */
export function placedWindows(text: string, size: number, overlap: number): TextWindow[] {
  const step = size - overlap;
  if (step < 1) throw new RangeError(`The overlap (${overlap}) must be smaller than the window (${size}).`);
  const windows = [{ start: 0, text: text.slice(0, size) }];
  for (let at = step; at + overlap < text.length; at += step)
    windows.push({ start: at, text: text.slice(at, at + size) });
  return windows.filter((window) => window.text.trim() !== '');
}

export const textWindows = (text: string, size: number, overlap: number): string[] =>
  placedWindows(text, size, overlap).map((window) => window.text);
