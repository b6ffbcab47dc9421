import { oneLine } from '#serve/cli/table.ts';
import { greatest } from '#core/numbers/extremes.ts';

/** Formats one record, with a line for each member. */
export function recordLines(record: Readonly<Record<string, string>>): string[] {
  const width = greatest(Object.keys(record).map((name) => name.length));
  return Object.entries(record).map(([name, text]) => `${name.padEnd(width)}  ${oneLine(text)}`);
}
