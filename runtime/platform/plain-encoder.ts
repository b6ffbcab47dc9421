import { parseJsonText } from '#core/json/json-text.ts';
import type { TextInput, TokenizedText } from '#core/model/tokenized-text.ts';
import { readWordPiece, type TokenizerJson, type WordPiece } from '#core/text/word-piece.ts';

/**
 * Longer texts are tokenized in another thread, so that the calling thread is not blocked. Shorter
 * ones take a fraction of a millisecond.
 */
const MAX_CHARACTERS = 4000;
/** Reading the vocabulary takes as long as a hundred texts, so a program that reads only a few skips it. */
const TEXTS_BEFORE = 16;

/**
 * Encodes short texts in plain English on the calling thread, which takes less time than a round
 * trip to another thread. Returns undefined if the library must do it.
 */
export function createPlainEncoder(
  json: string,
  maxLength: number,
): (inputs: readonly TextInput[], addSpecialTokens: boolean) => TokenizedText[] | undefined {
  let unread: string | undefined = json;
  let texts = 0;
  let wordPiece: WordPiece | undefined;
  return (inputs, addSpecialTokens) => {
    if (unread !== undefined && (texts += inputs.length) > TEXTS_BEFORE) {
      wordPiece = unread.includes('"WordPiece"')
        ? readWordPiece(parseJsonText(unread) as TokenizerJson)
        : undefined;
      unread = undefined;
    }
    if (!wordPiece) return undefined;
    let characters = 0;
    for (const { text, pair } of inputs) {
      characters += text.length;
      if (pair !== undefined || characters > MAX_CHARACTERS) return undefined;
    }
    const encoded: TokenizedText[] = [];
    for (const { text } of inputs) {
      const ids = wordPiece.encode(text, addSpecialTokens);
      // The library removes tokens that the model cannot read.
      if (ids === undefined || ids.length > maxLength) return undefined;
      encoded.push({ ids, typeIds: undefined, truncated: false, details: undefined });
    }
    return encoded;
  };
}
