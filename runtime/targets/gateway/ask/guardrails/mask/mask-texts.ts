import type { FoundSpan } from '../judges/found-spans.ts';
import { withoutOverlaps } from '../judges/found-spans.ts';
import type { Placeholders } from './placeholders.ts';

/** Shorter values are replaced only where they were found: they can be parts of other words. */
const MIN_REPEATED_LENGTH = 3;

/**
 * Replaces what was found in texts by placeholders. A value that was found in one text is also replaced in the others, where it stands
 * as a word: models for entities find a name in one sentence and miss it in another.
 */
export function maskTexts(
  texts: readonly string[],
  spans: readonly (readonly FoundSpan[])[],
  placeholders: Placeholders,
): string[] {
  const labels = new Map<string, string>();
  for (const [index, text] of texts.entries())
    for (const { start, end, label } of spans[index] ?? []) {
      const value = text.slice(start, end);
      if (!labels.has(value)) labels.set(value, label);
      placeholders.of(label, value);
    }
  const repeated = [...labels].filter(([value]) => value.length >= MIN_REPEATED_LENGTH);
  return texts.map((text, index) => {
    const own = spans[index] ?? [];
    const others = repeated.flatMap(([value, label]) => occurrencesOf(value, label, text));
    let out = '';
    let last = 0;
    for (const { start, end, label } of withoutOverlaps([...own, ...others])) {
      out += text.slice(last, start) + placeholders.of(label, text.slice(start, end));
      last = end;
    }
    return out + text.slice(last);
  });
}

function occurrencesOf(value: string, label: string, text: string): FoundSpan[] {
  const found: FoundSpan[] = [];
  for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + value.length)) {
    const end = at + value.length;
    if (!isWord(text.slice(at - 1, at)) && !isWord(text.slice(end, end + 1)))
      found.push({ start: at, end, label, score: 1 });
  }
  return found;
}

const isWord = (character: string): boolean => /[\p{L}\p{N}_]/u.test(character);
