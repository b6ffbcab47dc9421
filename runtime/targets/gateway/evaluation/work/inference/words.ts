import { inputError } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import type { RowCells } from '../../datasets/dataset.ts';
import type { LabeledPiece } from '../backends/backend.ts';
import { EXAMPLES } from '../../datasets/check-row.ts';
import { cellText } from '../evaluation/read-cells.ts';

interface Piece {
  readonly start: number;
  readonly end: number;
}

/** The column with a text's words, for datasets whose words are not separated by spaces. */
const TOKENS = 'tokens';

/** The positions of a row's words, in Unicode code points. Throws an InputError if the text does not contain them. */
export function wordsOf(row: RowCells): Piece[] {
  const letters = Array.from(textOfRow(row));
  const tokens = wordList(row);
  return tokens ? located(tokens, letters) : betweenSpaces(letters);
}

/** A row's list of words; undefined if there is none. */
function wordList(row: RowCells): readonly string[] | undefined {
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
    const characters = Array.from(word);
    const start = indexOf(letters, characters, from);
    if (start === -1) {
      throw inputError(
        `The word ${JSON.stringify(word)} in \`${TOKENS}\` was not found in the text after the preceding words.`,
      );
    }
    from = start + characters.length;
    return { start, end: from };
  });
}

function indexOf(letters: readonly string[], characters: readonly string[], from: number): number {
  for (let at = from; at + characters.length <= letters.length; at++) {
    if (characters.every((letter, offset) => letters[at + offset] === letter)) return at;
  }
  return -1;
}

/** Word labels, each taken from the word's first token. Words beyond the end of the truncated text get `O`. */
export function labelsOfWords(words: readonly Piece[], tokens: readonly LabeledPiece[]): string[] {
  let next = 0;
  return words.map(({ start, end }) => {
    while (next < tokens.length && (tokens[next]?.end ?? 0) <= start) next += 1;
    const token = tokens[next];
    return token && token.start < end ? token.label : 'O';
  });
}

/** The model input. It always exists, because uploads are checked for it. */
export const textOfRow = (row: RowCells): string => cellText(row[EXAMPLES]);
