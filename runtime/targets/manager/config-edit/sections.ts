import { stringify } from 'smol-toml';
import { type Statement, tomlStatements } from '../config/toml-statements.ts';

type IsMember = (header: Statement) => boolean;

interface Range {
  readonly start: number;
  readonly end: number;
}

const isHeaderOf =
  (list: string): IsMember =>
  ({ kind, keys }) =>
    kind === 'array-table' && keys.length === 1 && keys[0] === list;

/** Whether a header belongs to a list of tables: `[[list]]`, or a subtable of one of its items. */
export const isInList =
  (list: string): IsMember =>
  ({ keys }) =>
    keys[0] === list;

/** Inserts a section after the last section in its group, or at the end of the text. */
export function insertSection(text: string, section: string, isMember: IsMember): string {
  const last = headers(text).findLast(({ header }) => isMember(header));
  const at = last ? endWithComments(text, last.end) : text.length;
  const [before, after] = [text.slice(0, at), text.slice(at)];
  const lineBreak = lineEnd(text);
  const ended = before === '' || before.endsWith('\n') ? before : before + lineBreak;
  const gap = before.trim() === '' ? '' : lineBreak;
  return ended + gap + section.replaceAll('\n', lineBreak) + after;
}

/** Appends a key to the section with this header; undefined if there is no such header. */
export function insertKey(text: string, isHeader: IsMember, line: string): string | undefined {
  const own = headers(text).find(({ header }) => isHeader(header));
  if (!own) return undefined;
  const [before, after] = [text.slice(0, own.end), text.slice(own.end)];
  return `${before}${before.endsWith('\n') ? '' : lineEnd(text)}${line.trimEnd()}${lineEnd(text)}${after}`;
}

/** Removes the block of a header: everything up to the first header outside the block. */
export function cutBlock(text: string, isStart: IsMember, isOwn: IsMember): string | undefined {
  const found = findBlock(text, isStart, isOwn);
  if (!found) return undefined;
  const rest = text.slice(0, found.start) + text.slice(found.end);
  // Removing a block at the end of the text would otherwise leave the blank lines before it.
  const isLast = text.slice(found.end).trim() === '';
  return isLast ? rest.trimEnd() + (rest.trim() === '' ? '' : lineEnd(text)) : rest;
}

/** Finds a header's block, including the comments above it. */
export function findBlock(text: string, isStart: IsMember, isOwn: IsMember): Range | undefined {
  const all = headers(text);
  const first = all.findIndex(({ header }) => isStart(header));
  if (first < 0) return undefined;
  const next = all.findIndex(({ header }, index) => index > first && !isOwn(header));
  const start = startWithComments(text, all[first]?.header.start ?? 0);
  const end =
    next < 0
      ? endWithComments(text, all.at(-1)?.end ?? text.length)
      : startWithComments(text, all[next]?.header.start ?? 0);
  return { start, end };
}

/** Removes the nth table of a list, with its subtables and the comments above it. */
export const cutListed = (text: string, list: string, index: number): string | undefined =>
  cutBlock(text, ...listed(list, index));

/** Finds the table. */
export const findListed = (text: string, list: string, index: number): Range | undefined =>
  findBlock(text, ...listed(list, index));

/**
 * Predicates for the header of the table and for the headers of its subtables. They must be called
 * with all headers in order.
 */
function listed(list: string, index: number): readonly [isStart: IsMember, isOwn: IsMember] {
  const isHeader = isHeaderOf(list);
  let seen = -1;
  return [
    (header) => isHeader(header) && (seen += 1) === index,
    (header) => !isHeader(header) && isInList(list)(header),
  ];
}

/** Removes a key and its value; undefined if the key is not in the text. */
export function cutKey(text: string, isKey: (statement: Statement) => boolean): string | undefined {
  const statements = tomlStatements(text);
  const found = statements.find((statement) => statement.kind === 'key' && isKey(statement));
  return found && text.slice(0, found.start) + text.slice(found.end);
}

/** Formats a header with its values. */
export function sectionText(header: string, values: Readonly<Record<string, unknown>>): string {
  return `${header}\n${stringify(values)}`;
}

/** Formats a table header, for example `[servers."a b".env]`. */
export const tableHeader = (path: readonly string[]): string =>
  `[${path.map((key) => keyText(key)).join('.')}]`;

/** Formats a key, quoting it if necessary. */
function keyText(key: string): string {
  const line = stringify({ [key]: 0 }).trimEnd();
  return line.slice(0, -' = 0'.length);
}

/** Returns each header with the end of its section's last statement. */
function headers(text: string): { header: Statement; end: number }[] {
  const found: { header: Statement; end: number }[] = [];
  for (const statement of tomlStatements(text)) {
    const latest = found.at(-1);
    if (statement.kind !== 'key') found.push({ header: statement, end: statement.end });
    else if (latest) latest.end = statement.end;
  }
  return found;
}

/** Returns the start of a header, including the comments directly above it, which belong to it. */
function startWithComments(text: string, start: number): number {
  let at = text.lastIndexOf('\n', start - 1) + 1;
  while (at > 0) {
    const above = text.lastIndexOf('\n', at - 2) + 1;
    if (!text.slice(above, at).trimStart().startsWith('#')) break;
    at = above;
  }
  return at;
}

/**
 * Returns the end of a section, including comments directly below its last key, unless they belong to the
 * next header.
 */
function endWithComments(text: string, end: number): number {
  const [comments = ''] = /^(?:[ \t]*#[^\n]*(?:\n|$))*/.exec(text.slice(end)) ?? [];
  // Comments directly above a header, without a blank line in between, belong to the header.
  const isOfNext = /^[ \t]*\[/.test(text.slice(end + comments.length));
  return isOfNext ? end : end + comments.length;
}

const lineEnd = (text: string): string => (/\r\n/.test(text) ? '\r\n' : '\n');
