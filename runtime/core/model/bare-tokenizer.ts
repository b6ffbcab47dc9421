import { isObject } from '../json/is-object.ts';
import { parseJsonText } from '../json/json-text.ts';

/** Leaves out what a tokenizer adds to texts: their special tokens. */
export const withoutSpecialTokens = <Json extends object>(json: Json): Json => ({
  ...json,
  post_processor: null,
});

/** The tokenizer.json of a static form, given that of its model. */
export function bareTokenizer(json: string): string {
  const parsed = parseJsonText(json);
  return isObject(parsed) ? JSON.stringify(withoutSpecialTokens(parsed)) : json;
}
