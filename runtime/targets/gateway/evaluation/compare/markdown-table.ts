import { greatest } from '#core/numbers/extremes.ts';

const MAX_CELL_LENGTH = 80;

/** A Markdown table with padded cells, so that its source is readable as well. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((name, at) =>
    Math.max(3, name.length, greatest(rows.map((row) => row[at]?.length ?? 0))),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

/** Truncates and escapes a text so that it fits into a table cell. */
export function plain(text: string, maxLength = MAX_CELL_LENGTH): string {
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
  const short = line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line;
  return short.replaceAll(/[\\|<>`*_[\]]/g, (sign) => `\\${sign}`);
}

export const dollars = (cost: number | null): string =>
  cost === null ? '-' : `$${Number(cost.toPrecision(4))}`;
export const number = (value: number): string =>
  Math.abs(value) >= 100 ? value.toFixed(1) : value.toFixed(3);

/** A value with its confidence interval. */
export const withInterval = (
  value: number,
  interval: { readonly low: number; readonly high: number } | null,
): string => `${number(value)}${interval ? ` [${number(interval.low)}, ${number(interval.high)}]` : ''}`;
