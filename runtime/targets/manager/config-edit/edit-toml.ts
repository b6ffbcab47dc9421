import { isDeepStrictEqual } from 'node:util';
import * as patcher from '@decimalturn/toml-patch';
import { parse, stringify } from 'smol-toml';
import { configError } from '../../../contract/errors.ts';

/** A parsed table that a change modifies in place. */
export type MutableTable = Record<string, unknown>;
export type Change = (table: MutableTable) => void;

/** Makes a change in the text of a file. Returns undefined or throws if it does not support this text. */
export type Rewrite = (text: string) => string | undefined;

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
  const before = read(body);
  const changed = read(body);
  change(changed);
  const expected = read(stringify(changed));
  if (isDeepStrictEqual(before, expected)) return text;
  for (const rewrite of [...first, patchWith(change), ...last]) {
    const result = attempt(() => rewrite(body));
    const reread = result === undefined ? undefined : attempt(() => read(result));
    if (result !== undefined && isDeepStrictEqual(reread, expected)) return mark + result;
  }
  throw configError('The file cannot be edited without changing other parts of it. Edit it by hand.');
}

/** Sets a key, also one with a special meaning in assignments, such as `__proto__`. */
export function put(table: MutableTable, key: string, value: unknown): void {
  Object.defineProperty(table, key, { value, configurable: true, enumerable: true, writable: true });
}

const read = (text: string): MutableTable => parse(text, { integersAsBigInt: 'asNeeded' });

const patchWith =
  (change: Change): Rewrite =>
  (text) => {
    const table: MutableTable = patcher.parse(text);
    change(table);
    return patcher.patch(text, table);
  };

function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
