import { configError } from '#contract/errors.ts';

/**
 * Reads a merges.txt: two tokens per line, most frequent pair first. As in transformers, the first line is a header, and
 * what follows the last line end is ignored.
 */
export function readMerges(
  text: string,
  vocabulary: ReadonlyMap<string, number>,
  path: string,
): [string, string][] {
  const lines = text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
    .slice(1, -1);
  const merges = new Map<string, [string, string]>();
  for (const [index, line] of lines.entries()) {
    // A merge contains no white space, because the tokens of these vocabularies replace it by other characters.
    const [left, right, ...more] = line.split(/\s+/).filter((part) => part !== '');
    const place = `${path}, line ${index + 2}`;
    if (left === undefined || right === undefined || more.length > 0) {
      throw configError(
        `${place} is ${JSON.stringify(line.slice(0, 80))}, but it must have two tokens with a space between them. Restore the original file.`,
      );
    }
    const missing = [left, right, left + right].find((token) => !vocabulary.has(token));
    if (missing !== undefined) {
      throw configError(
        `${place} uses the token ${JSON.stringify(missing)}, which vocab.json does not have. Both files must be from the same model.`,
      );
    }
    merges.set(`${left} ${right}`, [left, right]);
  }
  return [...merges.values()];
}
