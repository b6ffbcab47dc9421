import { isDeepStrictEqual } from 'node:util';
import * as patcher from '@decimalturn/toml-patch';
import { parse, stringify } from 'smol-toml';
import { configError } from '../../../contract/errors.ts';

/** A table that a change works on. */
export type MutableTable = Record<string, unknown>;
export type Change = (table: MutableTable) => void;

/** A way to make the change in the text itself; undefined or an error where it does not fit this text. */
export type Rewrite = (text: string) => string | undefined;

/**
 * Changes a TOML text and leaves everything else in it as it is: comments, order, spaces, placeholders. Of the ways to do so
 * the first is taken that reads as exactly the change; a text that can be changed in none of them is refused, not damaged.
 */
export function editToml(
  text: string,
  change: Change,
  { first = [], last = [] }: { readonly first?: readonly Rewrite[]; readonly last?: readonly Rewrite[] } = {},
): string {
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const body = text.slice(mark.length);
  const before = read(body);
  const wanted = read(body);
  change(wanted);
  const expected = read(stringify(wanted));
  if (isDeepStrictEqual(before, expected)) return text;
  for (const rewrite of [...first, patchWith(change), ...last]) {
    const result = attempt(() => rewrite(body));
    const reread = result === undefined ? undefined : attempt(() => read(result));
    if (result !== undefined && isDeepStrictEqual(reread, expected)) return mark + result;
  }
  throw configError(
    'This file cannot be changed without touching other parts of it. Change it in an editor.',
  );
}

/** Also for keys that would mean something else to an assignment. */
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
