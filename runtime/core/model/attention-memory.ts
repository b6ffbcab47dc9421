import type { Manifest } from '#contract/manifest.ts';
import { formatBytes } from './progress.ts';

type Facts = Pick<Manifest, 'attentionHeads' | 'sentence' | 'tokenizer' | 'images'>;

/**
 * Assumed number of attention heads if config.json does not state it. Most models with 768
 * dimensions have this number.
 */
const USUAL_HEADS = 12;

/**
 * Bytes of attention scores per pair of tokens. Each head has one float32 score per pair, and ONNX
 * Runtime holds the scores before and after softmax at the same time (docs/decisions/0058). Static
 * models have no attention.
 */
export const bytesPerTokenPair = ({
  attentionHeads = USUAL_HEADS,
  sentence,
}: Pick<Manifest, 'attentionHeads' | 'sentence'>): number =>
  sentence?.table ? 0 : attentionHeads * Float32Array.BYTES_PER_ELEMENT * 2;

/**
 * Memory for the attention scores of a text of the maximum length, in addition to the weights;
 * undefined if unknown.
 */
function longestTextBytes(model: Facts): number | undefined {
  if (model.attentionHeads === undefined || model.sentence?.table || model.images) return undefined;
  return bytesPerTokenPair(model) * model.tokenizer.maxLength ** 2;
}

/** Returns a warning if the longest text that the model accepts does not fit into memory. */
export function memoryProblem(model: Facts, memoryBytes: number): string | undefined {
  const needed = longestTextBytes(model);
  if (needed === undefined || needed <= memoryBytes) return undefined;
  const { maxLength } = model.tokenizer;
  const fitting = Math.floor(Math.sqrt(memoryBytes / bytesPerTokenPair(model)));
  return (
    `A text of ${maxLength} tokens, the maximum of this model, needs about ${formatBytes(needed)} of memory, but only ${formatBytes(memoryBytes)} is available. ` +
    `Raise the memory limit, or build the model with a \`max_length\` of at most ${fitting}.`
  );
}

/** Describes the memory, for tables. */
export function memoryFacts(model: Facts): [string, string][] {
  const bytes = longestTextBytes(model);
  if (bytes === undefined) return [];
  const { maxLength } = model.tokenizer;
  return [['Memory', `about ${formatBytes(bytes)} for a text of ${maxLength} tokens, plus the weights`]];
}
