import type { Words } from '../text/words.ts';

/** A compiled pattern of words. */
export interface WordPattern {
  /** The words that a match can start with. */
  readonly first: readonly string[];
  readonly rest: readonly Part[];
}

interface Part {
  /** Maximum number of other words before this part. */
  readonly gap: number;
  readonly words: ReadonlySet<string>;
  /** Beginnings of words. */
  readonly beginnings: readonly string[];
}

/**
 * Compiles a pattern: parts that follow each other, each with its alternatives separated by `|`. `~3` allows up to three other words before the next
 * part, and `instruct*` matches all words with this beginning. The first part must not contain `*`.
 */
export function wordPattern(source: string): WordPattern {
  let gap = 0;
  const parts: Part[] = [];
  for (const written of source.split(' ')) {
    if (written.startsWith('~')) {
      gap = Number(written.slice(1));
      continue;
    }
    const alternatives = written.split('|');
    parts.push({
      gap,
      words: new Set(alternatives.filter((word) => !word.endsWith('*'))),
      beginnings: alternatives.filter((word) => word.endsWith('*')).map((word) => word.slice(0, -1)),
    });
    gap = 0;
  }
  const [first, ...rest] = parts;
  return { first: [...(first?.words ?? [])], rest };
}

/** Patterns by the words that their matches can start with, so that each word of a text costs one lookup. */
export type PatternIndex<Value> = ReadonlyMap<
  string,
  readonly { readonly pattern: WordPattern; readonly value: Value }[]
>;

export function indexPatterns<Value>(
  patterns: readonly { readonly pattern: WordPattern; readonly value: Value }[],
): PatternIndex<Value> {
  const index = new Map<string, { readonly pattern: WordPattern; readonly value: Value }[]>();
  for (const entry of patterns) {
    for (const word of entry.pattern.first) index.set(word, [...(index.get(word) ?? []), entry]);
  }
  return index;
}

/**
 * Returns the position of the last word of a match that starts at a word; undefined without a match. Takes a time that depends on the pattern, but
 * not on the text: each part is compared with the words that its gap allows.
 */
export function matchAt(
  { words }: Pick<Words, 'words'>,
  start: number,
  { rest }: WordPattern,
): number | undefined {
  let from = start;
  let to = start;
  for (const { gap, words: exact, beginnings } of rest) {
    let first: number | undefined;
    let last = to;
    // The matches of the previous part are between `from` and `to`.
    for (let at = from + 1; at <= Math.min(to + gap + 1, words.length - 1); at += 1) {
      const word = words[at] ?? '';
      if (!exact.has(word) && !beginnings.some((beginning) => word.startsWith(beginning))) continue;
      first ??= at;
      last = at;
    }
    if (first === undefined) return undefined;
    from = first;
    to = last;
  }
  return to;
}
