import type { EntitySettings } from '#contract/entity-settings.ts';
import type { WindowSettings } from '#contract/manifest.ts';
import type { TokenizerSettings } from '#contract/tokenizer-settings.ts';
import { openEntityTokenizer, type TokenizerSources } from '#platform/entity-tokenizer.ts';
import type { TextTokenizer } from '#platform/tokenizer.ts';
import { loadNativeLibraries } from '#platform/native/libraries.ts';

interface EncodedText {
  readonly ids: readonly number[];
  readonly tokens: readonly string[];
}

export interface LoadedTokenizer {
  /** The size of the vocabulary: the largest token id plus one. */
  readonly vocabularySize: number;
  readonly idOf: (token: string) => number | undefined;
  readonly tokenOf: (id: number) => string | undefined;
  /** All tokens as written in the vocabulary. */
  tokens(): string[];
  encode(texts: readonly string[]): Promise<number[][]>;
  /** Encodes texts as the executable does, truncated to `maxLength` tokens. */
  encodeCut(texts: readonly string[], maxLength: number, side: 'left' | 'right'): Promise<EncodedText[]>;
  /** Number of tokens of a text, without the final token that some tokenizers append. */
  tokensBefore(text: string): Promise<number>;
}

/**
 * Loads a tokenizer.json with the library that the executable uses. Throws the library's own error
 * message.
 */
export async function loadTokenizer(json: string): Promise<LoadedTokenizer> {
  const { Tokenizer } = (await loadNativeLibraries()).tokenizers;
  const tokenizer = Tokenizer.fromString(json);
  tokenizer.disablePadding();
  tokenizer.disableTruncation();
  return {
    vocabularySize: Object.values(tokenizer.getVocab(true)).reduce((size, id) => Math.max(size, id + 1), 0),
    idOf: (token) => tokenizer.tokenToId(token) ?? undefined,
    tokenOf: (id) => tokenizer.idToToken(id) ?? undefined,
    tokens: () => Object.keys(tokenizer.getVocab(true)),
    async tokensBefore(text) {
      const special = (await tokenizer.encode(text)).getSpecialTokensMask();
      return special.length - (special.at(-1) === 1 ? 1 : 0);
    },
    async encodeCut(texts, maxLength, side) {
      // Truncation changes the state of a tokenizer, so it needs a separate instance.
      const cutting = Tokenizer.fromString(json);
      cutting.disablePadding();
      cutting.setTruncation(maxLength, { direction: side });
      const encodings = await cutting.encodeBatch([...texts]);
      return encodings.map((encoding) => ({ ids: encoding.getIds(), tokens: encoding.getTokens() }));
    },
    encode: async (texts) => (await tokenizer.encodeBatch([...texts])).map((encoding) => encoding.getIds()),
  };
}

/** Loads the tokenizer of a zero_shot_ner model as the executable does. */
export async function loadEntityTokenizer(
  sources: TokenizerSources,
  settings: TokenizerSettings,
  entities: EntitySettings,
  windows: WindowSettings,
): Promise<TextTokenizer> {
  const { tokenizers } = await loadNativeLibraries();
  return openEntityTokenizer(tokenizers, sources, settings, entities, windows, Infinity);
}
