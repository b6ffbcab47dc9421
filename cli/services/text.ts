import { relative, sep } from 'node:path';
import { singleQuoted } from '#core/text/shell-word.ts';
import { greatest } from '#core/numbers/extremes.ts';

/** Formats rows as aligned columns. */
export function alignColumns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => greatest(rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Formats a path as a user would type it: relative if it is below the current directory. */
export function shownPath(path: string): string {
  const here = relative(process.cwd(), path);
  if (here === '') return '.';
  return here.startsWith('..') || here === path ? path : `.${sep}${here}`;
}

/** Quotes a path, a hub model name or a text as a shell word. */
export const argumentWord = (word: string): string =>
  /^[\w./:@-]+$/.test(sep === '/' ? word : word.replaceAll(sep, '/')) ? word : singleQuoted(word);

/** Whether a file name can be printed: control characters could change the terminal, or hide the rest of a line. */
export const isPrintable = (name: string): boolean => !/[\p{Cc}\p{Cf}\u2028\u2029`]/u.test(name);

/** Returns the first twelve items of a long list. */
export const shortList = (items: readonly string[]): string =>
  items.length <= MAX_ITEMS
    ? items.join(', ')
    : `${items.slice(0, MAX_ITEMS).join(', ')} and ${items.length - MAX_ITEMS} more`;

const MAX_ITEMS = 12;
