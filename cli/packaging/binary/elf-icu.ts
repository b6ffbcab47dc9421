import { cutElf } from './elf-cut.ts';
import { findIcuPackage, keepIcuItems } from './icu-package.ts';

/** Version of this edit. Increase it with every change, so that base runtimes in the cache are rebuilt. */
export const ICU_EDIT = 1;

/**
 * Removes ICU data that the programs do not use from a Node binary: languages other than English,
 * legacy character encodings, and dictionaries for word breaks (docs/decisions/0073).
 * Language-independent data stays, for example normalization, grapheme breaks, time zones and the
 * Unicode collation. Returns the input if there is nothing to remove.
 */
export function removeIcuLocales(input: Uint8Array): Uint8Array {
  const icu = findIcuPackage(input);
  if (!icu || icu.items.every(({ name }) => isKept(name))) return input;
  // Not slice(), which returns a view of the same bytes if the input is a Buffer.
  const file = new Uint8Array(input);
  return cutElf(file, keepIcuItems(file, icu, isKept), icu.last.start);
}

/** Items named after a language, such as `de.res` and `unit/de_AT.res`. */
const LANGUAGE = /(?:^|\/)([a-z]{2,3})(?:_\w+)?\.res$/;
const UNUSED = /\.(?:cnv|dict)$/;

function isKept(name: string): boolean {
  if (UNUSED.test(name)) return false;
  const language = LANGUAGE.exec(name)?.[1];
  return language === undefined || language === 'en' || name.endsWith('res_index.res');
}
