import { isCount } from '#core/numbers/is-count.ts';
import { isObject } from '#core/json/is-object.ts';
import { memberOf } from '#core/values/member-of.ts';
import { addedToken } from './family.ts';

/**
 * Adds special tokens to a tokenizer.json, as `add_special_tokens` of the tokenizers library does: a
 * token that the tokenizer has keeps its id, and others get the next free ids. Changes nothing if the
 * tokenizer has all `required` tokens. Pure.
 */
export function withSpecialTokens<Json extends object>(
  json: Json,
  { tokens, required }: { readonly tokens: readonly string[]; readonly required: readonly string[] },
): Json {
  const listed: unknown = memberOf(json, 'added_tokens');
  const added: readonly unknown[] = Array.isArray(listed) ? listed : [];
  const vocabulary = vocabularyOf(memberOf(memberOf(json, 'model'), 'vocab'));
  const ids = new Map(added.map((token) => [memberOf(token, 'content'), memberOf(token, 'id')]));
  if (required.every((token) => ids.has(token) || vocabulary.idOf(token) !== undefined)) return json;
  let next = vocabulary.size;
  for (const id of ids.values()) if (isCount(id)) next = Math.max(next, id + 1);
  const missing = tokens
    .filter((token, at) => !ids.has(token) && tokens.indexOf(token) === at)
    .map((token) => ({ id: vocabulary.idOf(token) ?? next++, ...addedToken(token, { special: true }) }));
  return { ...json, added_tokens: [...added, ...missing] };
}

/** Removes added tokens from a tokenizer.json. Pure. */
export function withoutAddedTokens<Json extends object>(json: Json, tokens: readonly string[]): Json {
  const listed: unknown = memberOf(json, 'added_tokens');
  if (!Array.isArray(listed) || tokens.length === 0) return json;
  const unused = new Set<unknown>(tokens);
  return { ...json, added_tokens: listed.filter((token) => !unused.has(memberOf(token, 'content'))) };
}

interface Vocabulary {
  readonly size: number;
  readonly idOf: (token: string) => number | undefined;
}

/** The vocabulary of a model: ids by token, or a list of tokens with their scores. */
function vocabularyOf(vocab: unknown): Vocabulary {
  if (Array.isArray(vocab)) {
    const pieces = vocab.map((piece: unknown) => (Array.isArray(piece) ? (piece[0] as unknown) : undefined));
    return {
      size: pieces.length,
      idOf: (token) => {
        const at = pieces.indexOf(token);
        return at === -1 ? undefined : at;
      },
    };
  }
  const fields = isObject(vocab) ? vocab : {};
  return {
    size: Object.keys(fields).length,
    idOf: (token) => {
      const id = Object.hasOwn(fields, token) ? fields[token] : undefined;
      return isCount(id) ? id : undefined;
    },
  };
}
