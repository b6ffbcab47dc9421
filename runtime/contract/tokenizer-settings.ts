/** How a model tokenizes texts, apart from the tokenizer itself. */
export interface TokenizerSettings {
  /** Maximum number of tokens, special tokens included; longer texts are truncated. */
  readonly maxLength: number;
  readonly truncationSide: 'left' | 'right';
  /**
   * Maximum number of characters: longer texts are truncated before they are tokenized. Undefined if only
   * the number of tokens is limited.
   */
  readonly maxCharacters?: number;
  /** The text of a pair that is truncated or read in windows; undefined if the longer text is truncated. */
  readonly truncatedText?: 'first' | 'second';
  /**
   * Maximum number of tokens of a pair's first text. If it is set, only the second text is truncated
   * to the model's maximum.
   */
  readonly maxFirst?: number;
  readonly padId: number;
  /** The size of the vocabulary: the largest token id plus one. */
  readonly vocabularySize: number;
  /** Whether tokens that continue a word are marked (`##ing`). */
  readonly marksSubwords: boolean;
  /** The token for unknown words. */
  readonly unknown?: { readonly id: number; readonly token: string };
}
