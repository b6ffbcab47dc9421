import type { FoundSpan } from '../judges/found-spans.ts';
import { withoutOverlaps } from '../judges/found-spans.ts';
import type { Placeholders } from './placeholders.ts';

/** A span with whether the answer gets its value back. */
export interface MaskedSpan extends FoundSpan {
  readonly isRestored?: boolean | undefined;
  /** The profile that found it; undefined for a value that is masked because it was found elsewhere. */
  readonly profile?: string | undefined;
}

/** Shorter values are replaced only where they were found: they can be parts of other words. */
const MIN_REPEATED_LENGTH = 3;

/**
 * Replaces what was found in texts by placeholders. A value that was found in one text is also replaced in the others, where it stands
 * as a word: models for entities find a name in one sentence and miss it in another.
 */
export function maskTexts(
  texts: readonly string[],
  spans: readonly (readonly MaskedSpan[])[],
  placeholders: Placeholders,
): string[] {
  const labels = new Map<string, string>();
  for (const [index, text] of texts.entries())
    for (const { start, end, label, isRestored } of spans[index] ?? []) {
      const value = text.slice(start, end);
      if (!labels.has(value)) labels.set(value, label);
      placeholders.of(label, value, isRestored);
    }
  return texts.map((text, index) =>
    replaceSpans(text, [...(spans[index] ?? []), ...occurrencesOf(labels, text)], placeholders),
  );
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

/** Where values, with their labels, stand in a text as words. */
export const occurrencesOf = (values: ReadonlyMap<string, string>, text: string): FoundSpan[] =>
  [...values].flatMap(([value, label]) =>
    value.length < MIN_REPEATED_LENGTH ? [] : occurrencesOfValue(value, label, text),
  );

function occurrencesOfValue(value: string, label: string, text: string): FoundSpan[] {
  const found: FoundSpan[] = [];
  for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + value.length)) {
    const end = at + value.length;
    if (!isWord(text.slice(at - 1, at)) && !isWord(text.slice(end, end + 1)))
      found.push({ start: at, end, label, score: 1 });
  }
  return found;
}

const isWord = (character: string): boolean => /[\p{L}\p{N}_]/u.test(character);
