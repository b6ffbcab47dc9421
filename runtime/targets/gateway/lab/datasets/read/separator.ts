import { EXAMPLES } from '../check-row.ts';

/** What separates the cells of a CSV file, and how it starts. */
interface Separated {
  readonly separator: string;
  /** The start of the text that was read to find the separator, without a line that only names it. */
  readonly start: string;
}

const SEPARATORS = [',', ';', '\t', '|'];
/** A line that names the separator, as Excel writes and reads it. */
const NAMED = /^\uFEFF?sep=(.)\r?(?:\n|$)/;
/** Longer first lines have many columns; their start is enough. */
const MAX_START = 1_000_000;

/**
 * Reads the first line and finds the separator: the one that `sep=` names, or the one with which a column has the name of the
 * column with texts.
 */
export async function findSeparator(
  texts: AsyncIterator<string, void>,
  textColumn: string = EXAMPLES,
): Promise<Separated> {
  let start = '';
  let isDone = false;
  while (!isDone && start.length < MAX_START && !/\S[^\n]*\n/.test(start)) {
    const next = await texts.next();
    if (next.done === true) isDone = true;
    else start += next.value;
  }
  const [line, named] = NAMED.exec(start) ?? [];
  if (line !== undefined && named !== undefined) return { separator: named, start: start.slice(line.length) };
  const [header = ''] = start.replace(/^\uFEFF?\s*/, '').split('\n');
  const cells = (separator: string): string[] =>
    header.split(separator).map((cell) => cell.trim().replaceAll(/^"|"$/g, '').trim());
  return { separator: SEPARATORS.find((one) => cells(one).includes(textColumn)) ?? ',', start };
}
