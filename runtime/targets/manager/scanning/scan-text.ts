import { pushAll } from '#core/values/push-all.ts';
import type { ScanRule, TextMatch } from './finding.ts';
import { findCharacters, type TextKind } from './rules/character-rules.ts';
import { findCredentialReads } from './rules/credential-rule.ts';
import { findLinks } from './rules/link-rules.ts';
import { findMarkers } from './rules/marker-rule.ts';
import { PHRASE_INDEX } from './rules/phrases.ts';
import { matchAt } from './rules/word-pattern.ts';
import { decodedParts } from './text/decode.ts';
import { type Words, wordsOf } from './text/words.ts';

/** An encoded text can contain another one. */
const MAX_DEPTH = 2;

/** Scans one text. Returns at most one match per rule and encoding. The time is proportional to the text's length. */
export function scanText(text: string, kind: TextKind, depth = 0): TextMatch[] {
  // Decoded bytes can be any characters.
  const matches = [...(depth === 0 ? findCharacters(text, kind) : []), ...findLinks(text, kind)];
  const marker = findMarkers(text, kind);
  if (marker) matches.push(marker);
  pushAll(matches, scanWords(wordsOf(text), kind));
  // What tag characters hide is scanned, too, although hiding it is a finding of its own.
  const hidden = matches.flatMap(({ rule, decoded, start, end }) =>
    rule === 'hidden-text' && decoded !== undefined
      ? [{ encoding: 'hidden', text: decoded, start, end }]
      : [],
  );
  if (depth < MAX_DEPTH) {
    for (const part of [...hidden, ...decodedParts(text)]) {
      for (const found of scanText(part.text, kind, depth + 1)) {
        matches.push({
          rule: found.rule,
          start: part.start,
          end: part.end,
          encoding: found.encoding === undefined ? part.encoding : `${part.encoding}, ${found.encoding}`,
          decoded: found.decoded ?? around(part.text, found.start, found.end),
        });
      }
    }
  }
  return firstOfEach(matches);
}

/** Scans words for instructions to a model. */
export function scanWords(words: Words, kind: TextKind): TextMatch[] {
  const matches = new Map<ScanRule, TextMatch>();
  const matchOf = (rule: ScanRule, first: number, last: number): void => {
    if (matches.has(rule)) return;
    const end = (words.starts[last] ?? 0) + (words.words[last]?.length ?? 0);
    matches.set(rule, { rule, start: words.starts[first] ?? 0, end });
  };
  const index = PHRASE_INDEX[kind];
  for (const [at, word] of words.words.entries()) {
    for (const { pattern, value } of index.get(word) ?? []) {
      if (matches.has(value)) continue;
      const last = matchAt(words, at, pattern);
      if (last !== undefined) matchOf(value, at, last);
    }
  }
  const credentials = findCredentialReads(words);
  if (credentials) matchOf('read-credentials', credentials.first, credentials.last);
  return [...matches.values()];
}

/** Characters before and after a match that an excerpt contains. */
const AROUND = 60;
const MAX_EXCERPT = 240;

/** Returns the text around a match. */
export function around(text: string, start: number, end: number): string {
  const from = Math.max(0, start - AROUND);
  const to = Math.min(text.length, Math.min(end, start + MAX_EXCERPT) + AROUND);
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`;
}

function firstOfEach(matches: readonly TextMatch[]): TextMatch[] {
  const known = new Set<string>();
  return matches.filter(({ rule, encoding = '' }) => {
    const key = `${rule} ${encoding}`;
    return !known.has(key) && known.add(key);
  });
}
