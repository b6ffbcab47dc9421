import type { TokenizerSettings } from '#contract/manifest.ts';
import type { TextTokenizer } from '#platform/tokenizer.ts';
import type { TruncationSide } from './serving.ts';

/**
 * Returns the tokenizer that truncates on a side and to a number of tokens. The library keeps both as settings of the whole
 * tokenizer, so others have a tokenizer of their own, which is opened by the first request that needs it.
 */
export function tokenizersBySide(
  tokenizer: TextTokenizer,
  settings: TokenizerSettings,
  open: (settings: TokenizerSettings) => TextTokenizer,
): (side: TruncationSide, maxLength?: number) => TextTokenizer {
  const opened = new Map([[keyOf(settings.truncationSide, settings.maxLength), tokenizer]]);
  return (truncationSide, maxLength = settings.maxLength) => {
    const key = keyOf(truncationSide, maxLength);
    const found = opened.get(key) ?? open({ ...settings, truncationSide, maxLength });
    opened.set(key, found);
    return found;
  };
}

const keyOf = (side: TruncationSide, maxLength: number): string => `${side} ${maxLength}`;
