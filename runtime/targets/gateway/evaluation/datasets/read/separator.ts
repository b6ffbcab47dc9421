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
/** Longer first lines have many columns; their start is enough. The start is parsed in one turn of the event loop. */
const MAX_START = 65_536;

/**
 * Reads the first line and finds the separator: the one that `sep=` names, or the one with which a column has the name of the
 * column with texts.
 */
export async function findSeparator(
  texts: AsyncIterator<string, void>,
  textColumn: string = EXAMPLES,
): Promise<Separated> {
  const start = await readFirstLine(texts);
  const [line, named] = NAMED.exec(start) ?? [];
  if (line !== undefined && named !== undefined) return { separator: named, start: start.slice(line.length) };
  const [header = ''] = start.trimStart().split('\n', 1);
  const cells = (separator: string): string[] =>
    header.split(separator).map((cell) => cell.trim().replaceAll(/^"|"$/g, '').trim());
  return { separator: SEPARATORS.find((one) => cells(one).includes(textColumn)) ?? ',', start };
}

/** Reads up to the chunk with the end of the first line that is not blank. Each chunk is searched once. */
async function readFirstLine(texts: AsyncIterator<string, void>): Promise<string> {
  let start = '';
  let hasText = false;
  while (start.length < MAX_START) {
    const next = await texts.next();
    if (next.done === true) break;
    const from = hasText ? 0 : next.value.search(/\S/);
    start += next.value;
    if (from === -1) continue;
    hasText = true;
    if (next.value.includes('\n', from)) break;
  }
  return start;
}
