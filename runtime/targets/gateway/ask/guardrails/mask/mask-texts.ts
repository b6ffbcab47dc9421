import type { Steps } from '../../../../../core/limits/steps.ts';
import type { FoundSpan } from '../judges/found-spans.ts';
import { withoutOverlaps } from '../judges/found-spans.ts';
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
    for (const { start, end, label, isRestored } of spans[index] ?? [])
      placeholders.of(label, text.slice(start, end), isRestored);
    yield;
  }
  const masked: string[] = [];
  for (const [index, text] of texts.entries()) {
    const repeated = yield* occurrencesIn(placeholders, text);
    masked.push(replaceSpans(text, [...(spans[index] ?? []), ...repeated], placeholders));
    yield;
  }
  return masked;
}

/** Replaces spans of a text, which can overlap, by their placeholders. */
export function replaceSpans(text: string, spans: readonly FoundSpan[], placeholders: Placeholders): string {
  let out = '';
  let last = 0;
  for (const { start, end, label } of withoutOverlaps(spans)) {
    out += text.slice(last, start) + placeholders.of(label, text.slice(start, end));
    last = end;
  }
  return out + text.slice(last);
}

/** Where values that were found already stand in a text as words. */
export function* occurrencesIn({ known }: Placeholders, text: string): Steps<FoundSpan[]> {
  const found = yield* known.occurrencesIn(text);
  return found.map(({ start, end }) => ({ start, end, label: KNOWN, score: 1 }));
}

/** A value has its placeholder already, so that this label is not used. */
const KNOWN = 'known';
