import type { EntitySettings } from '#contract/entity-settings.ts';
import type { WindowSettings } from '#contract/manifest.ts';
import type { TokenizerSettings } from '#contract/tokenizer-settings.ts';
import { type EntityPrompt, joinWords } from '#core/model/entity-prompt.ts';
import { joinLabels } from '#core/model/label-tokens.ts';
import type { TokenizedText } from '#core/model/tokenized-text.ts';
import { splitWords } from '#core/text/split-words.ts';
import { lazy } from '#core/values/lazy.ts';
import {
  failed,
  loadRawTokenizer,
  openTokenizer,
  type RawTokenizer,
  type TextTokenizer,
  type TokenizersAddon,
} from './tokenizer.ts';

/**
 * Opens the tokenizer of a zero_shot_ner model. With labels, it splits a text into words, and puts
 * the labels before them or tokenizes them for a second encoder. Each word is tokenized separately,
 * as transformers tokenizers do with lists of words.
 */
export function openEntityTokenizer(
  addon: TokenizersAddon,
  { json, labelJson }: TokenizerSources,
  tokenizerSettings: TokenizerSettings,
  settings: EntitySettings,
  { stride }: WindowSettings,
  maxWindows: number,
): TextTokenizer {
  const { maxLength, truncationSide } = tokenizerSettings;
  const plain = openTokenizer(addon, json, tokenizerSettings);
  const raw = lazy(() => {
    const tokenizer = loadRawTokenizer(addon, json);
    tokenizer.disablePadding();
    tokenizer.disableTruncation();
    return tokenizer;
  });
  const specials = lazy(() => findSpecials(raw()));
  const maxWords = settings.maxWords + (maxWindows - 1) * (settings.maxWords - stride);
  const limits = { settings, maxLength, stride, maxWindows, truncationSide };

  const openLabels = lazy(() => openLabelTokenizer(addon, labelJson, settings));
  /** The entity types as tokens before the text, or for a second encoder. */
  const encodeLabels = async (labels: readonly string[]): Promise<Pick<EntityPrompt, 'types' | 'labels'>> => {
    const { typeToken, separatorToken, labelTokenizer } = settings;
    if (labelTokenizer) {
      const encoded = await openLabels().encode(
        labels.map((text) => ({ text })),
        { details: false },
      );
      return { types: [], labels: joinLabels(encoded, labelTokenizer.padId) };
    }
    const typed = labels.flatMap((label) => [typeToken, label]);
    return { types: (await tokensOf(raw(), [...typed, separatorToken])).flat() };
  };

  const encodeWords = async (text: string, prompt: EntityPrompt): Promise<TokenizedText> => {
    const all = splitWords(text, truncationSide === 'right' ? maxWords + 1 : Infinity);
    const isCut = all.length > maxWords * 2;
    const offsets = truncationSide === 'right' ? all.slice(0, maxWords * 2) : all.slice(-maxWords * 2);
    const words = Array.from({ length: offsets.length / 2 }, (_, at) =>
      text.slice(offsets[at * 2], offsets[at * 2 + 1]),
    );
    const source = { text, offsets: Uint32Array.from(offsets) };
    return joinWords(prompt, await tokensOf(raw(), words), source, isCut, limits);
  };
  return {
    async encode(inputs, options) {
      const { labels } = options;
      if (labels === undefined) return await plain.encode(inputs, options);
      const prompt = { ...(await specials()), ...(await encodeLabels(labels)) };
      const texts: TokenizedText[] = [];
      for (const { text } of inputs) texts.push(await encodeWords(text, prompt));
      return texts;
    },
    decode: (ids, skipSpecialTokens) => plain.decode(ids, skipSpecialTokens),
    tokenOf: (id) => plain.tokenOf(id),
    idOf: (token) => plain.idOf(token),
  };
}

/** The content of the tokenizer.json of a model, and of that of its second encoder. */
export interface TokenizerSources {
  readonly json: string;
  readonly labelJson?: string | undefined;
}

function openLabelTokenizer(
  addon: TokenizersAddon,
  json: string | undefined,
  { labelTokenizer }: EntitySettings,
): TextTokenizer {
  if (json === undefined || !labelTokenizer) throw new Error('the model has no tokenizer for labels');
  return openTokenizer(addon, json, labelTokenizer);
}

/** Returns the tokens of each word. Equal words are tokenized once. */
async function tokensOf(tokenizer: RawTokenizer, words: readonly string[]): Promise<number[][]> {
  const different = [...new Set(words)];
  if (different.length === 0) return [];
  const encodings = await tokenizer
    .encodeBatch(different, { addSpecialTokens: false })
    .catch(failed('Error during tokenization'));
  const known = new Map(different.map((word, at) => [word, encodings[at]?.getIds() ?? []]));
  return words.map((word) => known.get(word) ?? []);
}

/** Finds the special tokens that the tokenizer puts before and after every text. */
async function findSpecials(tokenizer: RawTokenizer): Promise<Pick<EntityPrompt, 'head' | 'tail'>> {
  const encoding = await tokenizer.encode('a').catch(failed('Error during tokenization'));
  const [ids, special] = [encoding.getIds(), encoding.getSpecialTokensMask()];
  const first = special.indexOf(0);
  return first < 0
    ? { head: ids, tail: [] }
    : { head: ids.slice(0, first), tail: ids.slice(special.lastIndexOf(0) + 1) };
}
