import { configError } from '#contract/errors.ts';
import { isCount } from '#core/numbers/is-count.ts';

/** Checks a vocab.json: an object from token to id, where each id occurs once. */
export function readVocabJson(content: Readonly<Record<string, unknown>>, path: string): Map<string, number> {
  const ids = new Map<string, number>();
  const used = new Map<number, string>();
  for (const [token, id] of Object.entries(content)) {
    if (!isCount(id)) {
      throw configError(
        `${path}: the id of ${JSON.stringify(token)} is ${JSON.stringify(id)}, but it must be a whole number. Save the vocabulary again with \`save_pretrained\`.`,
      );
    }
    const other = used.get(id);
    if (other !== undefined) {
      throw configError(
        `${path}: the tokens ${JSON.stringify(other)} and ${JSON.stringify(token)} have the same id ${id}. Save the vocabulary again with \`save_pretrained\`.`,
      );
    }
    ids.set(token, id);
    used.set(id, token);
  }
  if (ids.size === 0)
    throw configError(`${path} has no tokens. Save the vocabulary with \`save_pretrained\`.`);
  return ids;
}
