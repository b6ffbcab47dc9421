import { oneLine } from '../../../../serve/cli/table.ts';

/** Formats one record, with a line for each member. */
export function recordLines(record: Readonly<Record<string, string>>): string[] {
  const width = Math.max(...Object.keys(record).map((name) => name.length));
  return Object.entries(record).map(([name, text]) => `${name.padEnd(width)}  ${oneLine(text)}`);
}
