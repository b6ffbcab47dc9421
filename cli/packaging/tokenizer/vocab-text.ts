import { configError } from '#contract/errors.ts';

/**
 * Reads a vocab.txt: the id of a token is its line. Line ends are LF, CRLF or CR, because the tools that write these files read
 * all of them; other Unicode separators can be tokens.
 */
export function readVocabText(text: string, path: string): Map<string, number> {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  while (lines.at(-1) === '') lines.pop();
  if (lines.length === 0) throw configError(`${path} is empty. It must contain one token per line.`);
  const ids = new Map<string, number>();
  for (const [id, token] of lines.entries()) {
    const before = ids.get(token);
    if (before !== undefined) {
      throw configError(
        `${path} has the token ${JSON.stringify(token.slice(0, 80))} in line ${before + 1} and in line ${id + 1}, but each token must be on one line. Restore the original file, or save tokenizer.json with \`save_pretrained\`.`,
      );
    }
    ids.set(token, id);
  }
  return ids;
}
