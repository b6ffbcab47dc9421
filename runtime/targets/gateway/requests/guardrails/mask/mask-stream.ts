import type { AppError } from '#contract/errors.ts';
import { isObject } from '#core/json/is-object.ts';
import { createFrameSplitter, readEvent } from '#serve/event-stream/event-frames.ts';
import { eventText, type MaskedPiece, type StreamMask } from '../../../providers/streams/stream.ts';
import type { GuardrailVerdict, EntityProfile, PatternProfile } from '../guardrail.ts';
import { maskOutput, isMaskedMember, withoutLogprobs, parsed, type MaskingParts } from './mask-output.ts';
import { continuationOf, mapDeltas, parseEvent, type Delta } from './restore.ts';
import { MAX_MATCH_LENGTH, matchesOf, openMatchIn } from '#platform/linear-pattern.ts';
import { runAtOnce } from '#platform/run-yielding.ts';
import { blockedBy, verdictOf } from '../judge.ts';
import {
  WINDOW_OVERLAP,
  countSpans,
  withoutOverlaps,
  PATTERN_TIMEOUT_MS,
  WINDOW_LENGTH,
  type FoundSpan,
  type Judged,
  type JudgeServices,
} from '../judges/judgement.ts';
import {
  maskingProfile,
  spansOfOutput,
  replaceSpans,
  type MaskedSpan,
  type MaskingProfile,
} from './mask-texts.ts';
import { openEscape, unescaped } from '#core/json/without-escapes.ts';
import { findEntities } from '../judges/entities.ts';

/** A text in the stream, and the event that contained its last piece. */
interface Source {
  readonly held: HeldText;
  readonly event: string | undefined;
  readonly data: object;
}

/** Masks the output in events of any API. A value can be split across several events. */
export function createStreamMask(
  masking: MaskingParts,
  onVerdicts: (verdicts: readonly GuardrailVerdict[]) => void,
): StreamMask {
  const splitter = createFrameSplitter();
  const sources = new Map<string, Source>();
  let text = '';
  let refused: AppError | undefined;
  const require = (blocked: AppError | undefined): void => {
    refused ??= blocked;
    if (blocked) throw blocked;
  };

  const take = async (held: HeldText, piece: string, isLast: boolean): Promise<string> => {
    const { text: masked, verdicts, blocked } = await held.take(piece, isLast);
    onVerdicts(verdicts);
    require(blocked);
    text += masked;
    return masked;
  };
  /**
   * Sends everything that was held back. The texts are kept, because some APIs repeat them as a whole at
   * the end.
   */
  const flush = async (): Promise<string> => {
    let out = '';
    for (const [key, { held, event, data }] of sources)
      if (held.isOpen()) out += eventText(continuationOf(data, key, await take(held, '', true)), event);
    return out;
  };
  const maskPieces = async (json: object, event: string | undefined): Promise<object> => {
    const masked: string[] = [];
    for (const delta of deltasIn(json)) {
      const { key, isArgument, isJson, isLast } = delta;
      const source = sources.get(key);
      if (!isText(delta) || (delta.text === '' && !source)) masked.push(delta.text);
      else {
        const create = isJson ? createHeldJson : createHeldText;
        const held = (isArgument ? undefined : source?.held) ?? create(masking);
        if (!isArgument) sources.set(key, { held, event, data: json });
        masked.push(await take(held, delta.text, isLast || isArgument));
      }
    }
    let next = 0;
    return mapDeltas(json, (delta) => masked[next++] ?? delta.text);
  };
  /**
   * Masks texts that are complete within one event. Texts that have already arrived in pieces are masked in
   * the same way as those pieces.
   */
  const maskWhole = async (json: object): Promise<object> => {
    const known = new Map([...sources.values()].map(({ held }) => held.whole()));
    const { value, verdicts, blocked } = await maskOutput(masking, json, known);
    onVerdicts(verdicts);
    require(blocked);
    return isObject(value) ? value : json;
  };
  const maskFrame = async (frame: Buffer): Promise<string> => {
    const { event, data } = readEvent(frame);
    if (data === undefined) return frame.toString('utf8');
    const parsed = parseEvent(data);
    const json = parsed && withoutLogprobs(parsed);
    if (!isObject(json)) return (await flush()) + frame.toString('utf8');
    if (json['type'] === 'ping') return frame.toString('utf8');
    if (deltasIn(json).length === 0) return (await flush()) + eventText(await maskWhole(json), event);
    return eventText(await maskPieces(json, event), event);
  };
  const maskAll = async (frames: readonly Buffer[], isLast: boolean): Promise<MaskedPiece> => {
    text = '';
    let out = '';
    try {
      for (const frame of frames) out += await maskFrame(frame);
      if (isLast) out += await flush();
    } catch (error) {
      if (refused === undefined) throw error;
    }
    return { bytes: Buffer.from(out), text, blocked: refused };
  };
  return {
    push: (piece) => maskAll(splitter.push(Buffer.from(piece)), false),
    flush: () => {
      const rest = splitter.end();
      return maskAll(rest ? [rest] : [], true);
    },
  };
}

function deltasIn(event: object): Delta[] {
  const deltas: Delta[] = [];
  mapDeltas(event, (delta) => {
    deltas.push(delta);
    return delta.text;
  });
  return deltas;
}

const isText = ({ names, isArgument }: Delta): boolean => isArgument || names.every(isMaskedMember);

/** Masks one text in a stream. Everything that can no longer become part of a match is sent. */
interface HeldText {
  /** Adds a piece. Returns the masked text that can be sent. */
  take(piece: string, isLast: boolean): Promise<Decided>;
  /** Whether anything has not been sent yet. */
  readonly isOpen: () => boolean;
  /** The whole text so far, and the masked text sent for it. */
  readonly whole: () => readonly [text: string, masked: string];
}

interface Decided {
  readonly text: string;
  readonly verdicts: readonly GuardrailVerdict[];
  /** Set if a check was unavailable. */
  readonly blocked: AppError | undefined;
}

/** Maximum number of characters held back. Longer matches are not found. */
const MAX_HELD = MAX_MATCH_LENGTH;

function createHeldText(masking: MaskingParts): HeldText {
  const { placeholders } = masking;
  let before = '';
  let waiting = '';
  let whole = '';
  let masked = '';
  return {
    async take(piece, isLast) {
      whole += piece;
      waiting += piece;
      if (waiting === '') return { text: '', verdicts: [], blocked: undefined };
      const open = { text: before + waiting, from: before.length, isLast };
      const { spans, end, verdicts, blocked } = await decide(masking, open);
      const part = open.text.slice(open.from, end);
      const own = spans.map((span) => ({
        ...span,
        start: span.start - open.from,
        end: span.end - open.from,
      }));
      const text = runAtOnce(replaceSpans(part, own, placeholders));
      before = open.text.slice(0, end).slice(-WINDOW_OVERLAP);
      waiting = open.text.slice(end);
      masked += text;
      return { text, verdicts, blocked };
    },
    isOpen: () => waiting !== '',
    whole: () => [whole, masked],
  };
}

interface Decision {
  readonly spans: readonly MaskedSpan[];
  /** Everything before this position can be sent. */
  readonly end: number;
  readonly verdicts: readonly GuardrailVerdict[];
  readonly blocked: AppError | undefined;
}

async function decide(
  { parts, rules, request, placeholders }: MaskingParts,
  open: OpenText,
): Promise<Decision> {
  const { text, from, isLast } = open;
  const judged = { ...request, place: 'output' } as const;
  const all: MaskedSpan[] = [];
  let end = isLast ? text.length : placeholders.openEnd(text);
  const verdicts = await Promise.all(
    rules.map((rule) =>
      verdictOf(rule, { ...judged, texts: [] }, async () => {
        const profile = maskingProfile(parts, rule);
        if (!profile) throw new Error('not configured');
        const found = await findInOpenText(parts, profile, open, judged);
        for (const span of found.spans) all.push({ ...span, profile: rule.profile });
        end = Math.min(end, found.open);
        return { valid: true, score: 0, explanation: 'masked' };
      }),
    ),
  );
  // Each finding becomes a known value, which is also masked where a check misses it.
  for (const span of runAtOnce(withoutOverlaps(runAtOnce(spansOfOutput(text, all, placeholders)))))
    if (span.end <= end) placeholders.of(span.label, text.slice(span.start, span.end), span.isRestored);
  const spans = runAtOnce(spansOfOutput(text, all, placeholders)).filter((span) => span.start >= from);
  if (!isLast) end = Math.min(end, from + placeholders.known.openEnd(text.slice(from)));
  end = uncut(spans, end);
  if (!isLast) end = Math.max(end, wholeSpans(spans, text.length - MAX_HELD));
  end = Math.max(from, wholeCharacters(text, end));
  const decided = spans.filter((span) => span.end <= end);
  return {
    spans: decided,
    end,
    verdicts: verdicts.map((verdict) => ({
      ...verdict,
      masked: countSpans(decided.filter(({ profile }) => profile === verdict.profile)),
    })),
    blocked: blockedBy(rules, verdicts),
  };
}

/** The last position up to `end` that does not split a span. */
function uncut(spans: readonly FoundSpan[], end: number): number {
  const cut = spans.find((span) => span.start < end && end < span.end);
  return cut ? uncut(spans, cut.start) : end;
}

/** A position that does not split a span: the end of the span that `end` would split. */
const wholeSpans = (spans: readonly FoundSpan[], end: number): number =>
  spans.find((span) => span.start < end && end < span.end)?.end ?? end;

/** A position that does not split a surrogate pair. */
const wholeCharacters = (text: string, end: number): number =>
  end > 0 && end < text.length && /[\uD800-\uDBFF]/.test(text[end - 1] ?? '') ? end - 1 : end;

/**
 * Masks tool arguments in a stream, which are JSON. They are only sent once they are complete, because
 * texts cannot be recognized in a fragment of JSON, and clients cannot run a tool with partial arguments
 * anyway.
 */
function createHeldJson(masking: MaskingParts): HeldText {
  let waiting = '';
  let whole = '';
  let masked = '';
  return {
    async take(piece, isLast): Promise<Decided> {
      whole += piece;
      waiting += piece;
      const isComplete = isLast || (waiting.trimEnd().endsWith('}') && isObject(parsed(waiting)));
      if (!isComplete || waiting === '') return { text: '', verdicts: [], blocked: undefined };
      const { value, verdicts, blocked } = await maskOutput(masking, { arguments: waiting });
      const text = isObject(value) ? String(value['arguments']) : waiting;
      waiting = '';
      masked += text;
      return { text, verdicts, blocked };
    },
    isOpen: () => waiting !== '',
    whole: () => [whole, masked],
  };
}

/** The part of a text that has not been sent yet, preceded by some text that has been sent. */
interface OpenText {
  readonly text: string;
  /** Where the unsent part begins. */
  readonly from: number;
  /** Whether the text is complete. */
  readonly isLast: boolean;
}

interface DecidedPart {
  readonly spans: readonly FoundSpan[];
  /** For everything before this position, what to mask is final. */
  readonly open: number;
}

/** Finds what to mask in the beginning of a text whose rest has not arrived yet. */
const findInOpenText = (
  services: JudgeServices,
  profile: MaskingProfile,
  open: OpenText,
  judged: Omit<Judged, 'texts'>,
): Promise<DecidedPart> =>
  profile.kind === 'patterns'
    ? findPatternsIn(profile, open)
    : findEntitiesIn(services, profile, open, judged);

/**
 * Patterns are also searched in the text with JSON escapes decoded, because clients decode responses that
 * follow a schema.
 */
async function findPatternsIn(profile: PatternProfile, open: OpenText): Promise<DecidedPart> {
  const found = await findMatchesIn(profile, open);
  if (!open.text.includes('\\')) return found;
  // An incomplete escape at the end can become any character.
  const end = (open.isLast ? undefined : openEscape(open.text)) ?? open.text.length;
  const { text, offsets } = unescaped(open.text.slice(0, end));
  const from = offsets.findIndex((offset) => offset >= open.from);
  if (from === -1) return { ...found, open: Math.min(found.open, open.from) };
  const read = await findMatchesIn(profile, { text, from, isLast: open.isLast });
  const offsetOf = (at: number): number => offsets[at] ?? end;
  const spans = read.spans.map((span) => ({ ...span, start: offsetOf(span.start), end: offsetOf(span.end) }));
  return { spans: [...found.spans, ...spans], open: Math.min(found.open, offsetOf(read.open)) };
}

/** A match is final if text that arrives later cannot change it. */
async function findMatchesIn(
  { patterns, timeoutMs = PATTERN_TIMEOUT_MS }: PatternProfile,
  { text, from, isLast }: OpenText,
): Promise<DecidedPart> {
  const deadline = performance.now() + timeoutMs;
  const spans: FoundSpan[] = [];
  let open = text.length;
  for (const [label, pattern] of patterns) {
    let openHere = isLast ? text.length : openMatchIn(pattern, text, from);
    for (const match of await matchesOf(pattern, text, deadline, from)) {
      if (match.start >= openHere) break;
      spans.push({ ...match, label, score: 1 });
      // A match that begins inside another match is ignored.
      if (match.end > openHere) openHere = openMatchIn(pattern, text, match.end);
    }
    open = Math.min(open, openHere);
  }
  return { spans, open };
}

/** The end of a sentence or line. */
const SENTENCE_END = /[.!?…](?=\s)|[。！？\n]/g;

/**
 * Encoders need the whole sentence to understand a word, so the text is checked sentence by sentence, or in
 * windows if it has no sentences.
 */
async function findEntitiesIn(
  services: JudgeServices,
  profile: EntityProfile,
  { text, from, isLast }: OpenText,
  judged: Omit<Judged, 'texts'>,
): Promise<DecidedPart> {
  const open = isLast ? text.length : decidableEnd(text, from, profile);
  if (open === from) return { spans: [], open };
  const [found = []] = await findEntities(services, profile, { ...judged, texts: [text] });
  const spans = found
    .filter(({ end, start }) => end > from && start < open)
    .map((span) => ({ ...span, start: Math.max(span.start, from) }));
  // A name that extends beyond the end is left for the next check, together with its remaining characters.
  const cut = spans.find(({ end }) => end > open);
  if (!cut) return { spans, open };
  return { spans: spans.filter((span) => span !== cut), open: cut.start };
}

/** Maximum length of windows in streams, so that text is checked before it has to be sent. */
const MAX_WINDOW = 512;

const MAX_OVERLAP = 128;

function decidableEnd(
  text: string,
  from: number,
  { windowLength = WINDOW_LENGTH, windowOverlap = WINDOW_OVERLAP }: EntityProfile,
): number {
  const last = [...text.slice(from).matchAll(SENTENCE_END)].at(-1);
  const sentenceEnd = last ? from + last.index + last[0].length : from;
  if (text.length - sentenceEnd < Math.min(windowLength, MAX_WINDOW)) return sentenceEnd;
  const overlap = Math.min(windowOverlap, MAX_OVERLAP);
  const end = text.length - overlap;
  const space = text.lastIndexOf(' ', end);
  return space > Math.max(sentenceEnd, end - MAX_OVERLAP) ? space : end;
}
