import * as patcher from '@decimalturn/toml-patch';
import { parse, stringify } from 'smol-toml';
import { configError } from '#contract/errors.ts';
import { tomlTable } from '../config/parse-toml.ts';
import type { TomlTable } from '../config/table-reader.ts';
import { copyTable, isSameTable } from './compare-tables.ts';

/** A parsed table, which a change modifies in place. */
export type MutableTable = Record<string, unknown>;
export type Change = (table: MutableTable) => void;

/**
 * Applies a change to a file's text. Returns undefined or throws if it does not support this text. `table` is
 * the parsed text and must not be modified.
 */
export type Rewrite = (text: string, table: TomlTable) => string | undefined;

/**
 * Changes a TOML text while keeping comments, order, whitespace and placeholders. Tries several rewrites and
 * uses the first one that parses to exactly the changed table. Throws if none does, so that no file is
 * damaged.
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
    // The change can contain values that are impossible in a parsed table, for example undefined.
    normalized ??= parse(stringify(changed), { integersAsBigInt: 'asNeeded' });
    if (isSameTable(before, normalized)) return text;
    if (isSameTable(reread, normalized)) return mark + result;
  }
  throw configError('The file cannot be edited without changing other parts of it. Edit it by hand.');
}

/** Sets a key, including keys that are special in assignments, such as `__proto__`. */
export function put(table: MutableTable, key: string, value: unknown): void {
  Object.defineProperty(table, key, { value, configurable: true, enumerable: true, writable: true });
}

/** Changes a text while keeping comments and whitespace. Slow for long texts. */
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
