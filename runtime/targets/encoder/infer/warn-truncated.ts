import type { Manifest } from '#contract/manifest.ts';
import type { FailedInference } from '#core/model/raw-output.ts';
import type { Inference } from '../math/inference.ts';

/** Returns the number of texts that were truncated because they are longer than the model supports. */
export const countTruncated = (inferences: readonly (Inference | FailedInference)[]): number =>
  inferences.filter((inference) => 'text' in inference && inference.text.truncated).length;

/** The warning for stderr; empty if no texts were truncated. */
export function truncationWarning(truncated: number, texts: number, manifest: Manifest): string {
  if (truncated === 0) return '';
  const were = truncated === 1 ? 'was' : 'were';
  const { tokenizer, windows } = manifest;
  const longest = windows
    ? 'the maximum number of windows (--max-windows)'
    : `${tokenizer.maxLength} tokens, this model's maximum`;
  return `Warning: ${truncated} of ${texts} texts ${were} truncated to ${longest}.\n`;
}
