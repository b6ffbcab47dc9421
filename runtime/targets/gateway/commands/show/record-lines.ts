import { oneLine } from '../../../../serve/cli/table.ts';

/** One thing, a line for each of its members. */
export function recordLines(record: Readonly<Record<string, string>>): string[] {
  const width = Math.max(...Object.keys(record).map((name) => name.length));
  return Object.entries(record).map(([name, text]) => `${name.padEnd(width)}  ${oneLine(text)}`);
}
