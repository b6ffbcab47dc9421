import type { Steps } from '#core/limits/steps.ts';
import type { FoundSpan } from '../judges/found-spans.ts';
import { SPANS_PER_STEP, withoutOverlaps } from '../judges/found-spans.ts';
import type { Placeholders } from './placeholders.ts';

/** A span with whether the answer gets its value back. */
export interface MaskedSpan extends FoundSpan {
  readonly isRestored?: boolean | undefined;
  /** The profile that found it; undefined for a value that is masked because it was found elsewhere. */
  readonly profile?: string | undefined;
}

/**
 * Replaces what was found in texts by placeholders. A value that was found in one text is also replaced in the others, where it stands
 * as a word: models for entities find a name in one sentence and miss it in another.
 */
export function* maskTexts(
  texts: readonly string[],
  spans: readonly (readonly MaskedSpan[])[],
  placeholders: Placeholders,
): Steps<string[]> {
  for (const [index, text] of texts.entries()) {
    for (const [at, { start, end, label, isRestored }] of (spans[index] ?? []).entries()) {
      placeholders.of(label, text.slice(start, end), isRestored);
      if (at % SPANS_PER_STEP === 0) yield;
    }
  }
  const masked: string[] = [];
  for (const [index, text] of texts.entries()) {
    const repeated = yield* occurrencesIn(placeholders, text);
    masked.push(yield* replaceSpans(text, [...(spans[index] ?? []), ...repeated], placeholders));
    yield;
  }
  return masked;
}

/** Replaces spans of a text, which can overlap, by their placeholders. */
export function* replaceSpans(
  text: string,
  spans: readonly FoundSpan[],
  placeholders: Placeholders,
): Steps<string> {
  const parts: string[] = [];
  let last = 0;
  for (const [at, { start, end, label }] of (yield* withoutOverlaps(spans)).entries()) {
    parts.push(text.slice(last, start), placeholders.of(label, text.slice(start, end)));
    last = end;
    if (at % SPANS_PER_STEP === 0) yield;
  }
  return parts.join('') + text.slice(last);
}

/** Where values that were found already stand in a text as words. */
export function* occurrencesIn({ known }: Placeholders, text: string): Steps<FoundSpan[]> {
  const found = yield* known.occurrencesIn(text);
  return found.map(({ start, end }) => ({ start, end, label: KNOWN, score: 1 }));
}

/** A value has its placeholder already, so that this label is not used. */
const KNOWN = 'known';
