import type { TokenizerOptions } from '#contract/tokenizer-options.ts';

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
