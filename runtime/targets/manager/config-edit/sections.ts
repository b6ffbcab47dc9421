import { stringify } from 'smol-toml';
import { type Statement, tomlStatements } from '../config/toml-statements.ts';

type IsMember = (header: Statement) => boolean;

/** Puts a section behind the last one that belongs to its group, or at the end. */
export function insertSection(text: string, section: string, isMember: IsMember): string {
  const last = headers(text).findLast(({ header }) => isMember(header));
  const at = last ? endWithComments(text, last.end) : text.length;
  const [before, after] = [text.slice(0, at), text.slice(at)];
  const lineBreak = lineEnd(text);
  const ended = before === '' || before.endsWith('\n') ? before : before + lineBreak;
  const gap = before.trim() === '' ? '' : lineBreak;
  return ended + gap + section.replaceAll('\n', lineBreak) + after;
}

/** Puts a key behind the others of a section that has a header of its own. */
export function insertKey(text: string, isHeader: IsMember, line: string): string | undefined {
  const own = headers(text).find(({ header }) => isHeader(header));
  if (!own) return undefined;
  const [before, after] = [text.slice(0, own.end), text.slice(own.end)];
  return `${before}${before.endsWith('\n') ? '' : lineEnd(text)}${line.trimEnd()}${lineEnd(text)}${after}`;
}

/** Cuts out the blocks from a header on, up to the first header that is not one of its own. */
export function cutBlock(text: string, isStart: IsMember, isOwn: IsMember): string | undefined {
  const found = findBlock(text, isStart, isOwn);
  if (!found) return undefined;
  const rest = text.slice(0, found.start) + text.slice(found.end);
  // Between what is left, one blank line is enough.
  const isLast = text.slice(found.end).trim() === '';
  return isLast ? rest.trimEnd() + (rest.trim() === '' ? '' : lineEnd(text)) : rest;
}

/** Where those blocks stand, with the comments above them. */
export function findBlock(
  text: string,
  isStart: IsMember,
  isOwn: IsMember,
): { readonly start: number; readonly end: number } | undefined {
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

/** Cuts a key with its value. */
export function cutKey(text: string, isMeant: (statement: Statement) => boolean): string | undefined {
  const statements = tomlStatements(text);
  const found = statements.find((statement) => statement.kind === 'key' && isMeant(statement));
  return found && text.slice(0, found.start) + text.slice(found.end);
}

/** A header and its values as text. */
export function sectionText(header: string, values: Readonly<Record<string, unknown>>): string {
  return `${header}\n${stringify(values)}`;
}

/** `[servers."a b".env]` */
export const tableHeader = (path: readonly string[]): string =>
  `[${path.map((key) => keyText(key)).join('.')}]`;

/** A key as TOML takes it, quoted if it must be. */
function keyText(key: string): string {
  const line = stringify({ [key]: 0 }).trimEnd();
  return line.slice(0, -' = 0'.length);
}

/** Each header, and where the statements of its section end. */
function headers(text: string): { header: Statement; end: number }[] {
  const found: { header: Statement; end: number }[] = [];
  for (const statement of tomlStatements(text)) {
    const latest = found.at(-1);
    if (statement.kind !== 'key') found.push({ header: statement, end: statement.end });
    else if (latest) latest.end = statement.end;
  }
  return found;
}

/** Comments right above a header are about it. */
function startWithComments(text: string, start: number): number {
  let at = text.lastIndexOf('\n', start - 1) + 1;
  while (at > 0) {
    const above = text.lastIndexOf('\n', at - 2) + 1;
    if (!text.slice(above, at).trimStart().startsWith('#')) break;
    at = above;
  }
  return at;
}

/** Comments right below the last key of a section are part of it, unless they are about the header that follows. */
function endWithComments(text: string, end: number): number {
  const [comments = ''] = /^(?:[ \t]*#[^\n]*(?:\n|$))*/.exec(text.slice(end)) ?? [];
  // With no blank line between.
  const isOfNext = /^[ \t]*\[/.test(text.slice(end + comments.length));
  return isOfNext ? end : end + comments.length;
}

const lineEnd = (text: string): string => (/\r\n/.test(text) ? '\r\n' : '\n');
