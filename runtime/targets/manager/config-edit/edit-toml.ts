import * as patcher from '@decimalturn/toml-patch';
import { parse, stringify } from 'smol-toml';
import { configError } from '#contract/errors.ts';
import { tomlTable } from '../config/parse-toml.ts';
import type { TomlTable } from '../config/table-reader.ts';
import { copyTable, isSameTable } from './compare-tables.ts';

/** A parsed table that a change modifies in place. */
export type MutableTable = Record<string, unknown>;
export type Change = (table: MutableTable) => void;

/**
 * Makes a change in the text of a file. Returns undefined or throws if it does not support this text. `table` is the parsed text,
 * which must not be changed.
 */
export type Rewrite = (text: string, table: TomlTable) => string | undefined;

/**
 * Changes a TOML text and keeps comments, order, whitespace and placeholders. It tries several rewrites and takes the first
 * one that parses to exactly the changed table. If none does, it throws, so that no file is damaged.
 */
export function editToml(
  text: string,
  change: Change,
  { first = [], last = [] }: { readonly first?: readonly Rewrite[]; readonly last?: readonly Rewrite[] } = {},
): string {
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const body = text.slice(mark.length);
  const before = tomlTable(body);
  const changed = copyTable(before);
  change(changed);
  if (isSameTable(before, changed)) return text;
  let normalized: TomlTable | undefined;
  for (const rewrite of [...first, (whole: string) => patch(whole, change), ...last]) {
    const result = attempt(() => rewrite(body, before));
    if (result === undefined) continue;
    const reread = attempt(() => tomlTable(result));
    if (isSameTable(reread, changed)) return mark + result;
    // The change can contain what a parsed table does not, for example undefined.
    normalized ??= parse(stringify(changed), { integersAsBigInt: 'asNeeded' });
    if (isSameTable(before, normalized)) return text;
    if (isSameTable(reread, normalized)) return mark + result;
  }
  throw configError('The file cannot be edited without changing other parts of it. Edit it by hand.');
}

/** Sets a key, also one with a special meaning in assignments, such as `__proto__`. */
export function put(table: MutableTable, key: string, value: unknown): void {
  Object.defineProperty(table, key, { value, configurable: true, enumerable: true, writable: true });
}

/** Makes a change in a text and keeps comments and whitespace. Long texts take long. */
export function patch(text: string, change: Change): string {
  const table: MutableTable = patcher.parse(text);
  change(table);
  return patcher.patch(text, table);
}

function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
