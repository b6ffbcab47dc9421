import { isDeepStrictEqual } from 'node:util';
import { parse } from 'smol-toml';
import { configError } from '#contract/errors.ts';
import { JsonSyntaxError, parseCommentedJson } from '#core/json/commented-json.ts';
import { editCommentedJson, NotAnObject, valueOf } from '#core/json/edit-commented-json.ts';
import { isObject } from '#core/json/is-object.ts';
import { membersOf } from '#core/json/members-of.ts';
import { editToml, type MutableTable, put } from '../config-edit/edit-toml.ts';
import { insertSection, sectionText, tableHeader } from '../config-edit/sections.ts';
import { CONNECTION_MEMBERS, type McpClientFile } from './clients.ts';

interface Edit {
  readonly path: string;
  readonly name: string;
  /** The manager's entry; undefined removes it. */
  readonly entry: object | undefined;
}

/** Returns the client file's text with the manager's entry. Everything else is unchanged. */
export function editClientText(
  text: string,
  { format, servers }: McpClientFile,
  { path, name, entry }: Edit,
): string {
  const known = entryIn(text, format, { path, servers, name });
  const kept = Object.entries(known ?? {}).filter(([member]) => !CONNECTION_MEMBERS.has(member));
  const wanted = entry && { ...entry, ...Object.fromEntries(kept) };
  if (isDeepStrictEqual(known, wanted)) return text;
  if (format === 'json') {
    return explained(path, text, () => editCommentedJson(text, [servers, name], wanted));
  }
  const change = (table: MutableTable): void => {
    if (wanted === undefined && !isObject(table[servers])) return;
    const all = { ...membersOf(table[servers]) };
    if (wanted === undefined) delete all[name];
    else put(all, name, wanted);
    if (Object.keys(all).length === 0) delete table[servers];
    else table[servers] = all;
  };
  if (wanted === undefined) return editToml(text, change);
  // A separate table is the usual form.
  const section = sectionText(tableHeader([servers, name]), wanted);
  return editToml(text, change, {
    first: [(body) => insertSection(body, section, ({ keys }) => keys[0] === servers)],
  });
}

/** Whether a text has comments or trailing commas. */
export const hasComments = (text: string): boolean =>
  text.trim() !== '' && parseCommentedJson(text).extension !== undefined;

/** Returns the entry with a name, without undefined members. */
function entryIn(
  text: string,
  format: McpClientFile['format'],
  { path, servers, name }: { readonly path: string; readonly servers: string; readonly name: string },
): Readonly<Record<string, unknown>> | undefined {
  if (text.replace(/^\uFEFF/, '').trim() === '') return undefined;
  const read = (): unknown =>
    format === 'json' ? valueOf(parseCommentedJson(text).root) : parse(text.replace(/^\uFEFF/, ''));
  const entries = membersOf(membersOf(explained(path, text, read))[servers]);
  const entry = Object.hasOwn(entries, name) ? entries[name] : undefined;
  return isObject(entry) ? { ...entry } : undefined;
}

/** Runs an edit; an error includes the file, the line and how to solve it. */
function explained<Result>(path: string, text: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof JsonSyntaxError) {
      throw configError(
        `${path}:${lineOf(text, error.position)}: invalid JSON: ${error.message}. Fix the file first.`,
      );
    }
    if (error instanceof NotAnObject) {
      const what = error.path.length === 0 ? 'the file' : error.path.join('.');
      throw configError(
        `${path}:${lineOf(text, error.position)}: ${what} must be an object. Fix the file first.`,
      );
    }
    const { message } = error as Error;
    throw configError(`${path}: ${message.split('\n', 1)[0]} Fix the file first.`, error);
  }
}

const lineOf = (text: string, position: number): number => text.slice(0, position).split('\n').length;
