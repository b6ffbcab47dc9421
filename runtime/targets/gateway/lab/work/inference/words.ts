import { inputError } from '../../../../../contract/errors.ts';
import { parseJsonText } from '../../../../../core/json/json-text.ts';
import type { Row } from '../../datasets/dataset.ts';
import { textOfRow } from './text-of-row.ts';
import type { LabelledPiece } from '../backends/backend.ts';

interface Piece {
  readonly start: number;
  readonly end: number;
}

/** The column with a list of the words of a text, for data sets in which words are not what stands between spaces. */
const TOKENS = 'tokens';

/** Where the words of a row are in its text, in Unicode code points. Throws an InputError if the text does not have them. */
export function wordsOf(row: Row): Piece[] {
  const letters = Array.from(textOfRow(row));
  const tokens = wordList(row);
  return tokens ? located(tokens, letters) : betweenSpaces(letters);
}

/** What the words are, or undefined if there is no list of them. */
function wordList(row: Row): readonly string[] | undefined {
  const cell = row[TOKENS];
  const list: unknown = typeof cell === 'string' && cell.startsWith('[') ? parsed(cell) : cell;
  return Array.isArray(list) ? list.map(String) : undefined;
}

function parsed(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch {
    return undefined;
  }
}

function betweenSpaces(letters: readonly string[]): Piece[] {
  const pieces: Piece[] = [];
  let start: number | undefined;
  for (const [at, letter] of [...letters, ' '].entries()) {
    const isSpace = /\s/u.test(letter);
    if (!isSpace) start ??= at;
    else if (start !== undefined) {
      pieces.push({ start, end: at });
      start = undefined;
    }
  }
  return pieces;
}

function located(words: readonly string[], letters: readonly string[]): Piece[] {
  let from = 0;
  return words.map((word) => {
    const wanted = Array.from(word);
    const start = indexOf(letters, wanted, from);
    if (start === -1) {
      throw inputError(`The word ${JSON.stringify(word)} of \`${TOKENS}\` is not in the text, or not there.`);
    }
    from = start + wanted.length;
    return { start, end: from };
  });
}

function indexOf(letters: readonly string[], wanted: readonly string[], from: number): number {
  for (let at = from; at + wanted.length <= letters.length; at++) {
    if (wanted.every((letter, offset) => letters[at + offset] === letter)) return at;
  }
  return -1;
}

/** The label of a word is that of its first token; words that the model did not read, as they were too far behind, have none. */
export function labelsOfWords(words: readonly Piece[], tokens: readonly LabelledPiece[]): string[] {
  let next = 0;
  return words.map(({ start, end }) => {
    while (next < tokens.length && (tokens[next]?.end ?? 0) <= start) next += 1;
    const token = tokens[next];
    return token && token.start < end ? token.label : 'O';
  });
}
