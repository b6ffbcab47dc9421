import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { suggest } from '#core/text/suggest.ts';
import { argumentWord } from './text.ts';

/** Maximum number of names in a folder to compare, so that a huge folder does not delay the error. */
const MAX_NAMES = 10_000;

/** The end of a sentence about a missing path: a similar path as a question, or a full stop. */
export const orSimilar = (path: string): string => similarPath(path) || '.';

/**
 * Returns `; did you mean \`x\`?` if the folder of a missing path has a similar name; otherwise an
 * empty string. Names with control characters are not printed, because they could change the
 * terminal.
 */
function similarPath(path: string): string {
  const folder = dirname(path);
  const meant = suggest(basename(path), namesIn(folder));
  if (meant === undefined) return '';
  const shown = /^\.[/\\]/.test(path) ? `./${join(folder, meant)}` : join(folder, meant);
  return `; did you mean \`${argumentWord(shown)}\`?`;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .slice(0, MAX_NAMES)
      .filter((name) => !/[\p{Cc}\p{Cf}`]/u.test(name));
  } catch {
    return [];
  }
}
