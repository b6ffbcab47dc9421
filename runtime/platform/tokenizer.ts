import type { TokenizerSettings } from '../contract/manifest.ts';
import type { TokenizedText } from '../core/tokenized-text.ts';

/** What we use of the `tokenizers` addon (its package loads the same file through a search that a bundle cannot do). */
export interface TokenizersAddon {
  readonly Tokenizer: { fromString(json: string): RawTokenizer };
}

interface RawTokenizer {
  setTruncation(maxLength: number, options: { direction: string }): void;
  disablePadding(): void;
  encode(text: string, pair?: string | null, options?: EncodeOptions): Promise<Encoding>;
  encodeBatch(texts: (string | [string, string])[], options?: EncodeOptions): Promise<Encoding[]>;
  decodeBatch(ids: number[][], skipSpecialTokens: boolean): Promise<string[]>;
}

interface EncodeOptions {
  readonly addSpecialTokens?: boolean;
}

/** Each getter crosses into native code and builds an array: called once, and only for what is needed. */
interface Encoding {
  getIds(): number[];
  getTypeIds(): number[];
  getSpecialTokensMask(): number[];
  getTokens(): string[];
  getOffsets(): number[][];
  getOverflowing(): unknown[];
}

export interface TextInput {
  readonly text: string;
  readonly pair?: string | undefined;
}

export interface TokenizeOptions {
  /** Whether results name tokens, so that their spelling and place are needed. */
  readonly details: boolean;
  readonly addSpecialTokens?: boolean;
}

export interface TextTokenizer {
  encode(inputs: readonly TextInput[], options: TokenizeOptions): Promise<TokenizedText[]>;
  decode(ids: readonly (readonly number[])[], skipSpecialTokens: boolean): Promise<string[]>;
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
    async encode(inputs, { details, addSpecialTokens = true }) {
      const options = { addSpecialTokens };
      const encodings =
        inputs.length <= FEW_TEXTS
          ? await Promise.all(inputs.map(({ text, pair }) => tokenizer.encode(text, pair ?? null, options)))
          : await tokenizer.encodeBatch(
              inputs.map(({ text, pair }) => (pair === undefined ? text : [text, pair])),
              options,
            );
      return encodings.map((encoding) => plain(encoding, settings.maxLength, details));
    },
    decode: (ids, skipSpecialTokens) =>
      tokenizer.decodeBatch(
        ids.map((row) => [...row]),
        skipSpecialTokens,
      ),
  };
}

/** A batch starts the library's own threads, which takes longer than to tokenise a few texts one by one. */
const FEW_TEXTS = 4;

function plain(encoding: Encoding, maxLength: number, details: boolean): TokenizedText {
  const ids = Int32Array.from(encoding.getIds());
  const typeIds = Int32Array.from(encoding.getTypeIds());
  return {
    ids,
    typeIds: typeIds.some((id) => id !== 0) ? typeIds : undefined,
    truncated: ids.length >= maxLength && encoding.getOverflowing().length > 0,
    details: details
      ? {
          tokens: encoding.getTokens(),
          special: Uint8Array.from(encoding.getSpecialTokensMask()),
          offsets: Uint32Array.from(encoding.getOffsets().flat()),
        }
      : undefined,
  };
}
