import { openEscape, unescaped } from '#core/json/without-escapes.ts';
import { matchesOf, openMatchIn } from '#platform/linear-pattern.ts';
import type { EntityProfile, PatternProfile } from '../guardrail.ts';
import { PATTERN_TIMEOUT_MS, WINDOW_LENGTH, WINDOW_OVERLAP } from '../judges/defaults.ts';
import { findEntities } from '../judges/entities.ts';
import type { FoundSpan } from '../judges/found-spans.ts';
import type { Judged, JudgeServices } from '../judges/judgement.ts';
import type { MaskingProfile } from './find-spans.ts';

/** The end of a text that is not sent yet, with some of what was sent before it. */
export interface OpenText {
  readonly text: string;
  /** Where the part begins that is not sent. */
  readonly from: number;
  /** Whether the text is complete. */
  readonly isLast: boolean;
}

export interface DecidedPart {
  readonly spans: readonly FoundSpan[];
  /** Everything before this is decided. */
  readonly open: number;
}

/** Finds what is masked in the beginning of a text whose rest is not known yet. */
export const findInOpenText = (
  services: JudgeServices,
  profile: MaskingProfile,
  open: OpenText,
  judged: Omit<Judged, 'texts'>,
): Promise<DecidedPart> =>
  profile.kind === 'patterns'
    ? findPatternsIn(profile, open)
    : findEntitiesIn(services, profile, open, judged);

/** Patterns are also searched in the text without the escapes of JSON, which clients of an answer with a schema decode. */
async function findPatternsIn(profile: PatternProfile, open: OpenText): Promise<DecidedPart> {
  const found = await findMatchesIn(profile, open);
  if (!open.text.includes('\\')) return found;
  // Half an escape can become any character.
  const end = (open.isLast ? undefined : openEscape(open.text)) ?? open.text.length;
  const { text, offsets } = unescaped(open.text.slice(0, end));
  const from = offsets.findIndex((offset) => offset >= open.from);
  if (from === -1) return { ...found, open: Math.min(found.open, open.from) };
  const read = await findMatchesIn(profile, { text, from, isLast: open.isLast });
  const offsetOf = (at: number): number => offsets[at] ?? end;
  const spans = read.spans.map((span) => ({ ...span, start: offsetOf(span.start), end: offsetOf(span.end) }));
  return { spans: [...found.spans, ...spans], open: Math.min(found.open, offsetOf(read.open)) };
}

/** A match is decided if no longer text can change it. */
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
      // A match that begins within another one is ignored.
      if (match.end > openHere) openHere = openMatchIn(pattern, text, match.end);
    }
    open = Math.min(open, openHere);
  }
  return { spans, open };
}

/** The end of a sentence, or of a line. */
const SENTENCE_END = /[.!?…](?=\s)|[。！？\n]/g;

/** Encoders need a sentence to understand a word, so that text is decided by sentences, or in windows if there are none. */
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
  // A name that goes over the end is decided with the rest of it.
  const cut = spans.find(({ end }) => end > open);
  if (!cut) return { spans, open };
  return { spans: spans.filter((span) => span !== cut), open: cut.start };
}

/** Windows of streams are not longer, so that a text is checked before it has to be sent. */
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
