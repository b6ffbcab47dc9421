import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { distance } from 'fastest-levenshtein';
import { suggest } from '#core/text/suggest.ts';
import { argumentWord, isPrintable } from './text.ts';

/** Maximum number of names in a folder to compare, so that a huge folder does not delay the error. */
const MAX_NAMES = 10_000;

/** Maximum length of a file name on usual file systems. */
const MAX_LENGTH = 255;

/** The end of a sentence about a missing path: a similar path as a question, or a full stop. */
export const orSimilar = (path: string): string => similarPath(path) || '.';

/**
 * Returns `; did you mean \`x\`?` if the folder of a missing path has a similar name; otherwise an
 * empty string. Names with control characters are not printed, because they could change the
 * terminal.
 */
function similarPath(path: string): string {
  const folder = dirname(path);
  if (basename(path).length > MAX_LENGTH) return '';
  const names = namesIn(folder);
  const meant = misspelled(basename(path), names) ?? suggest(basename(path), names);
  if (meant === undefined) return '';
  const shown = /^\.[/\\]/.test(path) ? `./${join(folder, meant)}` : join(folder, meant);
  return `; did you mean \`${argumentWord(shown)}\`?`;
}

/** Allows an edit distance of 2, which includes swapped letters: `modle` is recognized as `model`. */
function misspelled(written: string, names: readonly string[]): string | undefined {
  const [best] = names
    .map((name) => ({ name, edits: distance(written, name) }))
    .filter(({ name, edits }) => edits <= 2 && edits < name.length / 2)
    .toSorted((one, other) => one.edits - other.edits);
  return best?.name;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).slice(0, MAX_NAMES).filter(isPrintable);
  } catch {
    return [];
  }
}
