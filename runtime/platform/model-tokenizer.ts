import type { Manifest, TokenizerSettings } from '#contract/manifest.ts';
import { openEntityTokenizer } from './entity-tokenizer.ts';
import type { TextTokenizer, TokenizersAddon } from './tokenizer.ts';
import { openWindowTokenizer } from './window-tokenizer.ts';

/** Opens the tokenizer of a model, with the settings of the manifest or other ones. */
export function openModelTokenizer(
  addon: TokenizersAddon,
  json: string,
  { tokenizer, entities, windows }: Pick<Manifest, 'tokenizer' | 'entities' | 'windows'>,
  maxWindows: number,
  settings: TokenizerSettings = tokenizer,
): TextTokenizer {
  return entities && windows
    ? openEntityTokenizer(addon, json, settings, entities, windows, maxWindows)
    : openWindowTokenizer(addon, json, settings, windows, maxWindows);
}
