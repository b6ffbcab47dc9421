import type { TokenizerSettings } from '../contract/manifest.ts';

/** What we use of the `tokenizers` addon (its package loads the same file through a search that a bundle cannot do). */
export interface TokenizersAddon {
  readonly Tokenizer: { fromString(json: string): RawTokenizer };
}

interface RawTokenizer {
  setTruncation(maxLength: number, options: { direction: string }): void;
  disablePadding(): void;
  encode(text: string): Promise<Encoding>;
  encodeBatch(texts: string[]): Promise<Encoding[]>;
}

/** One tokenised text. Each getter crosses into native code and builds an array: call it once, and only for what is needed. */
export interface Encoding {
  getIds(): number[];
  getSpecialTokensMask(): number[];
  getTokens(): string[];
  /** Start and end in the original text, in Unicode code points. */
  getOffsets(): number[][];
}

export interface TextTokenizer {
  encode(texts: readonly string[]): Promise<Encoding[]>;
}

/** A tokenizer that cuts to the model's maximum and never pads: padding belongs to the batch. */
export function openTokenizer(
  addon: TokenizersAddon,
  json: string,
  settings: TokenizerSettings,
): TextTokenizer {
  const tokenizer = addon.Tokenizer.fromString(json);
  tokenizer.disablePadding();
  tokenizer.setTruncation(settings.maxLength, { direction: settings.truncationSide });
  return {
    encode: (texts) =>
      texts.length <= FEW_TEXTS
        ? Promise.all(texts.map((text) => tokenizer.encode(text)))
        : tokenizer.encodeBatch([...texts]),
  };
}

/** A batch starts the library's own threads, which takes longer than to tokenise a few texts one by one. */
const FEW_TEXTS = 4;
