/** One text as tokens, in plain data that can go to another thread. */
export interface TokenizedText {
  readonly ids: Int32Array;
  /** Which of two texts a token is of; absent where all are of the first. */
  readonly typeIds?: Int32Array | undefined;
  /** The text was longer than the model takes, and was cut. */
  readonly truncated: boolean;
  /** Only where results name tokens. */
  readonly details?: TokenDetails | undefined;
}

export interface TokenDetails {
  /** As the vocabulary writes them: `##ing`, `Ġword`. */
  readonly tokens: readonly string[];
  /** 1 where the tokenizer added the token ([CLS], [SEP], <s> ...). */
  readonly special: Uint8Array;
  /** Start and end of each token in the text, in Unicode code points. */
  readonly offsets: Uint32Array;
}
