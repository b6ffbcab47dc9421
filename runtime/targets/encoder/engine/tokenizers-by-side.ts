import type { TokenizerSettings } from '../../../contract/manifest.ts';
import type { TextTokenizer } from '../../../platform/tokenizer.ts';
import type { TruncationSide } from './serving.ts';

/**
 * Returns the tokenizer that truncates on a side. The library keeps the side as a setting of the whole tokenizer, so the other
 * side has a tokenizer of its own, which is opened by the first request that sets it.
 */
export function tokenizersBySide(
  tokenizer: TextTokenizer,
  settings: TokenizerSettings,
  open: (settings: TokenizerSettings) => TextTokenizer,
): (side: TruncationSide) => TextTokenizer {
  let other: TextTokenizer | undefined;
  return (side) =>
    side === settings.truncationSide ? tokenizer : (other ??= open({ ...settings, truncationSide: side }));
}
