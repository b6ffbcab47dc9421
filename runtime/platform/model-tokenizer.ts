import type { Manifest, WindowSettings } from '#contract/manifest.ts';
import type { TokenizerSettings } from '#contract/tokenizer-settings.ts';
import { openEntityTokenizer, type TokenizerSources } from './entity-tokenizer.ts';
import { type TextTokenizer, type TokenizersAddon, openTokenizer } from './tokenizer.ts';
import { startOfText } from '#core/text/code-points.ts';
import { cutIntoWindows } from '#core/model/text-windows.ts';
import { lazy } from '#core/values/lazy.ts';
import type { TokenizedText } from '#core/model/tokenized-text.ts';
import { openPairWindowTokenizer } from './pair-window-tokenizer.ts';

/** Opens a model's tokenizer with the settings in the manifest or with other settings. */
export function openModelTokenizer(
  addon: TokenizersAddon,
  sources: TokenizerSources,
  { tokenizer, entities, windows }: Pick<Manifest, 'tokenizer' | 'entities' | 'windows'>,
  maxWindows: number,
  settings: TokenizerSettings = tokenizer,
): TextTokenizer {
  return entities && windows
    ? openEntityTokenizer(addon, sources, settings, entities, windows, maxWindows)
    : openWindowTokenizer(addon, sources.json, settings, windows, maxWindows);
}

/**
 * Opens a tokenizer that reads texts longer than the model's maximum in overlapping windows, if the
 * model has them. Pairs, and texts with more windows than `maxWindows`, are truncated. The library
 * has windows too, but returns only those next to the first one, because it stops reading once a
 * text is long enough.
 */
function openWindowTokenizer(
  addon: TokenizersAddon,
  json: string,
  settings: TokenizerSettings,
  windows: WindowSettings | undefined,
  maxWindows: number,
): TextTokenizer {
  if (windows && settings.truncatedText === 'second')
    return openPairWindowTokenizer(addon, json, settings, windows, maxWindows);
  const tokenizer = openTokenizer(addon, json, settings);
  const { maxCharacters } = settings;
  if (!windows) return maxCharacters === undefined ? tokenizer : limitCharacters(tokenizer, maxCharacters);
  const { stride } = windows;
  const openLong = lazy(async (): Promise<TextTokenizer> => {
    const [empty] = await tokenizer.encode([{ text: '' }], { details: false });
    const room = settings.maxLength - (empty?.ids.length ?? 0);
    const maxLength = settings.maxLength + (maxWindows - 1) * (room - stride);
    return openTokenizer(addon, json, { ...settings, maxLength: Math.min(maxLength, MAX_TOKENS) });
  });
  const encodeLong = async (text: string, addSpecialTokens = true): Promise<TokenizedText> => {
    const long = await openLong();
    const [whole] = await long.encode([{ text }], { details: true, addSpecialTokens });
    if (!whole) throw new Error('tokenized without result');
    return { ...whole, windows: cutIntoWindows(whole, settings.maxLength, stride) };
  };
  return {
    async encode(inputs, options) {
      const texts = await tokenizer.encode(inputs, options);
      for (const [at, { truncated }] of texts.entries()) {
        const input = inputs[at];
        // Long texts are tokenized one at a time, because each takes up much memory.
        if (truncated && input && input.pair === undefined) {
          texts[at] = await encodeLong(input.text, options.addSpecialTokens);
        }
      }
      return texts;
    },
    decode: (ids, skipSpecialTokens) => tokenizer.decode(ids, skipSpecialTokens),
    tokenOf: (id) => tokenizer.tokenOf(id),
    idOf: (token) => tokenizer.idOf(token),
  };
}

/** A tokenizer that reads only the start of a text, as model2vec does. */
function limitCharacters(tokenizer: TextTokenizer, maximum: number): TextTokenizer {
  return {
    ...tokenizer,
    async encode(inputs, options) {
      const starts = inputs.map(({ text, ...input }) => ({ ...input, text: startOfText(text, maximum) }));
      const texts = await tokenizer.encode(starts, options);
      return texts.map((text, at) => {
        const isCut = starts[at]?.text.length !== inputs[at]?.text.length;
        return isCut ? { ...text, truncated: true } : text;
      });
    },
  };
}

/** Lengths in the library are 32-bit numbers on some platforms. */
const MAX_TOKENS = 2 ** 31 - 1;
