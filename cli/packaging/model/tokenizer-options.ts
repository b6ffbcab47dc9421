import { configError } from '../../../runtime/contract/errors.ts';
import type { TokenizerOptions } from '../../../runtime/contract/tokenizer-options.ts';

/** Rejects settings that no part of a build implements. */
export function checkTokenizerOptions(file: string, { stride = 0 }: TokenizerOptions): void {
  if (stride === 0) return;
  throw configError(
    `${file}: \`tokenizer.stride\` is ${stride}, but long texts are truncated and not split into windows. Set it to 0, or remove it.`,
  );
}

/** Settings that have no effect, one sentence each. */
export function ineffectiveOptions({ pad_strategy, truncation_strategy }: TokenizerOptions): string[] {
  const warnings: string[] = [];
  if (typeof pad_strategy === 'object') {
    warnings.push(
      `\`tokenizer.pad_strategy\` has no effect: padding does not change results, so texts are padded to the longest of a batch instead of ${pad_strategy.fixed} tokens.`,
    );
  }
  if (truncation_strategy === 'only_first') {
    warnings.push(
      '`tokenizer.truncation_strategy: only_first` applies to single texts only: pairs are truncated longest first.',
    );
  }
  return warnings;
}
