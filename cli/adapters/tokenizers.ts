import { Tokenizer } from 'tokenizers';

export interface LoadedTokenizer {
  /** One more than the greatest token id. */
  readonly vocabularySize: number;
  readonly idOf: (token: string) => number | undefined;
  encode(texts: readonly string[]): Promise<number[][]>;
}

/** Loads a tokenizer.json with the library that will load it in the executable. Throws the library's own message. */
export function loadTokenizer(json: string): LoadedTokenizer {
  const tokenizer = Tokenizer.fromString(json);
  tokenizer.disablePadding();
  tokenizer.disableTruncation();
  return {
    vocabularySize: Object.values(tokenizer.getVocab(true)).reduce((size, id) => Math.max(size, id + 1), 0),
    idOf: (token) => tokenizer.tokenToId(token) ?? undefined,
    encode: async (texts) => (await tokenizer.encodeBatch([...texts])).map((encoding) => encoding.getIds()),
  };
}
