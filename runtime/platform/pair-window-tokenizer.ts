import type { WindowSettings } from '#contract/manifest.ts';
import type { TokenizerSettings } from '#contract/tokenizer-settings.ts';
import { inputError } from '#contract/errors.ts';
import { cutIntoWindows } from '#core/model/text-windows.ts';
import type { TokenizedText } from '#core/model/tokenized-text.ts';
import { openTokenizer, type TextTokenizer, type TokenizersAddon } from './tokenizer.ts';

/**
 * Opens a tokenizer that reads the second text of a pair in overlapping windows, each preceded by
 * the whole first text. Windows after the first `maxWindows` are omitted. Details refer to the
 * second text.
 */
export function openPairWindowTokenizer(
  addon: TokenizersAddon,
  json: string,
  settings: TokenizerSettings,
  { stride }: WindowSettings,
  maxWindows: number,
): TextTokenizer {
  const single = openTokenizer(addon, json, settings);
  const whole = openTokenizer(addon, json, { ...settings, maxLength: MAX_TOKENS });
  const cut = (text: TokenizedText): TokenizedText => {
    const count = text.details?.special.filter((special) => special === 0).length ?? 0;
    const rest = text.ids.length - count;
    const room = settings.maxLength - rest;
    if (room < 1) {
      throw inputError(
        `The question is too long: it has ${rest} tokens including special tokens, but must leave room for the context within this model's ${settings.maxLength} tokens. Shorten the question.`,
      );
    }
    if (count <= room) return text;
    // A long question leaves less space than windows usually share.
    const shared = stride < room ? stride : Math.floor(room / 2);
    const windows = cutIntoWindows(text, settings.maxLength, shared, true);
    return { ...text, windows: windows.slice(0, maxWindows), truncated: windows.length > maxWindows };
  };
  return {
    async encode(inputs, options) {
      if (inputs.every(({ pair }) => pair === undefined)) return await single.encode(inputs, options);
      return (await whole.encode(inputs, { ...options, details: true })).map(cut);
    },
    decode: (ids, skipSpecialTokens) => single.decode(ids, skipSpecialTokens),
    tokenOf: (id) => single.tokenOf(id),
    idOf: (token) => single.idOf(token),
  };
}

/** Lengths in the library are 32-bit numbers on some platforms. */
const MAX_TOKENS = 2 ** 31 - 1;
