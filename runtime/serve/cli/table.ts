import { stripVTControlCharacters } from 'node:util';
import type { Terminal } from './terminal.ts';
import { greatest } from '#core/numbers/extremes.ts';

/** The content of a table cell. `style` is only used on terminals with colors. */
export interface TableCell {
  readonly text: string;
  readonly style?: 'green' | 'yellow' | 'red' | 'dim' | undefined;
}

const GAP = '  ';
/** Minimum width of a column. */
const MIN_COLUMN_WIDTH = 6;

/**
 * Formats each row as one line that is not wider than the terminal. If the text does not fit, it is
 * truncated, starting with the widest columns.
 */
export function formatTable(
  head: readonly string[],
  rows: readonly (readonly (TableCell | string)[])[],
  terminal: Terminal,
): string[] {
  const cells = [head.map((text) => ({ text })), ...rows.map((row) => row.map(toCell))];
  const widths = fit(
    head.map((_, column) => greatest(cells.map((row) => textWidth(row[column]?.text ?? '')))),
    terminal.width,
  );
  return cells.map((row) =>
    row
      .map(({ text, style }: TableCell, column) => {
        const width = widths[column] ?? 0;
        const shown = cutText(text, width);
        const styled = style === undefined ? shown : terminal.style(style, shown);
        return column === row.length - 1 ? styled : styled + ' '.repeat(width - textWidth(shown));
      })
      .join(GAP)
      .trimEnd(),
  );
}

/** Removes line breaks and control characters, so that text from servers cannot move the cursor. */
export const oneLine = (text: string): string =>
  stripVTControlCharacters(text)
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();

const toCell = (cell: TableCell | string): TableCell =>
  typeof cell === 'string' ? { text: oneLine(cell) } : { ...cell, text: oneLine(cell.text) };

function fit(widths: readonly number[], maxWidth: number): number[] {
  const fitted = [...widths];
  const total = (): number => fitted.reduce((sum, width) => sum + width, GAP.length * (fitted.length - 1));
  while (total() > maxWidth) {
    const widest = greatest(fitted);
    if (widest <= MIN_COLUMN_WIDTH) break;
    fitted[fitted.indexOf(widest)] = widest - 1;
  }
  return fitted;
}

const GRAPHEMES = /\p{RGI_Emoji}|\p{L}\p{M}*|[^]/gv;
const WIDE =
  /^(?:\p{RGI_Emoji}|[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}])/v;
const UNSEEN = /^(?:\p{M}|\p{Cf})/v;

/**
 * Each character in such texts takes up one column. This is checked first, because detecting emoji
 * is slow.
 */
const PLAIN = /^[ -~]*$/;

/** Returns the number of terminal columns that a text takes up. */
const textWidth = (text: string): number =>
  PLAIN.test(text) ? text.length : graphemes(text).reduce((sum, grapheme) => sum + widthOf(grapheme), 0);

/** Truncates a text to a number of columns, with an ellipsis at the end. */
function cutText(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let shown = '';
  let columns = 1;
  for (const grapheme of graphemes(text)) {
    columns += widthOf(grapheme);
    if (columns > width) break;
    shown += grapheme;
  }
  return `${shown}…`;
}

const graphemes = (text: string): readonly string[] => text.match(GRAPHEMES) ?? [];

function widthOf(grapheme: string): number {
  if (WIDE.test(grapheme)) return 2;
  return UNSEEN.test(grapheme) ? 0 : 1;
}
