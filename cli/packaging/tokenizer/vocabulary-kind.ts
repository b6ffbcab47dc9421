import type { Family } from './family.ts';
import { configError } from '#contract/errors.ts';
import { isCount } from '#core/numbers/is-count.ts';

/** Vocabulary files by kind, in search order. */
export const VOCABULARY_FILES: Readonly<Record<Family['kind'], readonly string[]>> = {
  wordpiece: ['vocab.txt'],
  'byte-level': ['vocab.json'],
  sentencepiece: [
    'sentencepiece.bpe.model',
    'spiece.model',
    'spm.model',
    'sentencepiece.model',
    'tokenizer.model',
  ],
};

/** Describes the files that a folder can contain instead of tokenizer.json, for messages. */
export const ACCEPTED_TOKENIZERS = `tokenizer.json, vocab.txt, vocab.json with merges.txt, or a sentencepiece model (${VOCABULARY_FILES.sentencepiece.join(', ')})`;

/** Returns a vocabulary's kind, given its file name; undefined for a tokenizer.json. */
export function vocabularyKind(name: string): Family['kind'] | undefined {
  if (name.endsWith('.model')) return 'sentencepiece';
  if (name.endsWith('.txt')) return 'wordpiece';
  const file = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
  return file.endsWith('.json') && file.includes('vocab') ? 'byte-level' : undefined;
}

/**
 * Reads a vocab.txt: the id of a token is its line number. Lines can end with LF, CRLF or CR, as in
 * the tools that write these files. Other Unicode line separators can be tokens.
 */
export function readVocabText(text: string, path: string): Map<string, number> {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  while (lines.at(-1) === '') lines.pop();
  if (lines.length === 0) throw configError(`${path} is empty. It must contain one token per line.`);
  const ids = new Map<string, number>();
  for (const [id, token] of lines.entries()) {
    const before = ids.get(token);
    if (before !== undefined) {
      throw configError(
        `${path} has the token ${JSON.stringify(token.slice(0, 80))} on lines ${before + 1} and ${id + 1}, but each token must appear only once. Restore the original file, or save tokenizer.json with \`save_pretrained\`.`,
      );
    }
    ids.set(token, id);
  }
  return ids;
}

/** Checks that a vocab.json is an object that maps tokens to ids, and that each id occurs only once. */
export function readVocabJson(content: Readonly<Record<string, unknown>>, path: string): Map<string, number> {
  const ids = new Map<string, number>();
  const used = new Map<number, string>();
  for (const [token, id] of Object.entries(content)) {
    if (!isCount(id)) {
      throw configError(
        `${path}: the id of ${JSON.stringify(token)} is ${JSON.stringify(id)}, but must be a whole number. Save the vocabulary again with \`save_pretrained\`.`,
      );
    }
    const other = used.get(id);
    if (other !== undefined) {
      throw configError(
        `${path}: the tokens ${JSON.stringify(other)} and ${JSON.stringify(token)} have the same id ${id}. Save the vocabulary again with \`save_pretrained\`.`,
      );
    }
    ids.set(token, id);
    used.set(id, token);
  }
  if (ids.size === 0)
    throw configError(`${path} has no tokens. Save the vocabulary with \`save_pretrained\`.`);
  return ids;
}

/**
 * Reads a merges.txt: two tokens per line, most frequent pair first. As in transformers, the first
 * line is a header, and text after the last line end is ignored.
 */
export function readMerges(
  text: string,
  vocabulary: ReadonlyMap<string, number>,
  path: string,
): [string, string][] {
  const lines = text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
    .slice(1, -1);
  const merges = new Map<string, [string, string]>();
  for (const [index, line] of lines.entries()) {
    // Merges contain no whitespace other than the separator, because tokens contain other
    // characters in place of whitespace.
    const [left, right, ...more] = line.split(/\s+/).filter((part) => part !== '');
    const place = `${path}, line ${index + 2}`;
    if (left === undefined || right === undefined || more.length > 0) {
      throw configError(
        `${place} is ${JSON.stringify(line.slice(0, 80))}, but it must contain two tokens separated by a space. Restore the original file.`,
      );
    }
    const missing = [left, right, left + right].find((token) => !vocabulary.has(token));
    if (missing !== undefined) {
      throw configError(
        `${place} uses the token ${JSON.stringify(missing)}, which is not in vocab.json. Both files must be from the same model.`,
      );
    }
    merges.set(`${left} ${right}`, [left, right]);
  }
  return [...merges.values()];
}
