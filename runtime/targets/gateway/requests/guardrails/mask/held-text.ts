import type { AppError } from '#contract/errors.ts';
import { MAX_MATCH_LENGTH } from '#platform/linear-pattern.ts';
import { runAtOnce } from '#platform/run-yielding.ts';
import type { GuardrailVerdict } from '../guardrail.ts';
import { blockedBy, verdictOf } from '../judge.ts';
import { WINDOW_OVERLAP } from '../judges/defaults.ts';
import { countSpans, type FoundSpan, withoutOverlaps } from '../judges/found-spans.ts';
import { maskingProfile, spansOfOutput } from './find-spans.ts';
import type { MaskingParts } from './mask-output.ts';
import { type MaskedSpan, replaceSpans } from './mask-texts.ts';
import { findInOpenText, type OpenText } from './stream-finders.ts';

/** One text of a stream, of which everything is sent that cannot become a match any more. */
export interface HeldText {
  /** Adds a piece. Returns the masked text that can be sent. */
  take(piece: string, isLast: boolean): Promise<Decided>;
  /** Whether anything is not sent yet. */
  readonly isOpen: () => boolean;
  /** The whole text so far, and what was sent of it. */
  readonly whole: () => readonly [text: string, masked: string];
}

export interface Decided {
  readonly text: string;
  readonly verdicts: readonly GuardrailVerdict[];
  /** Set if a check was unavailable. */
  readonly blocked: AppError | undefined;
}

/** More is never held back: longer matches are not found. */
const MAX_HELD = MAX_MATCH_LENGTH;

export function createHeldText(masking: MaskingParts): HeldText {
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
  /** Everything before this can be sent. */
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
  // What was found is known from here on, and is also masked where a check misses it.
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

/** The last position up to `end` at which no span is cut. */
function uncut(spans: readonly FoundSpan[], end: number): number {
  const cut = spans.find((span) => span.start < end && end < span.end);
  return cut ? uncut(spans, cut.start) : end;
}

/** A position at which no span is cut: the end of the one that is cut at `end`. */
const wholeSpans = (spans: readonly FoundSpan[], end: number): number =>
  spans.find((span) => span.start < end && end < span.end)?.end ?? end;

/** Two halves of a character are not sent in two pieces. */
const wholeCharacters = (text: string, end: number): number =>
  end > 0 && end < text.length && /[\uD800-\uDBFF]/.test(text[end - 1] ?? '') ? end - 1 : end;
