import { configError } from '#contract/errors.ts';
import type { MultiVectorSettings } from '#contract/multi-vector.ts';
import { isCount } from '#core/numbers/is-count.ts';
import { isSafetensors } from '../architectures/safetensors-files.ts';
import type { ModelConfig } from './labels.ts';

/**
 * Rejects a graph that the build wrote if tokens that fill queries can be without a token to attend to. The results of such tokens
 * differ between implementations; other models hide padding only, whose results do not matter.
 */
export function checkExpansion(
  { query }: MultiVectorSettings,
  config: ModelConfig & { readonly local_attention?: unknown },
  weights: string,
): void {
  if (!isSafetensors(weights) || !query.expansion || query.expansion.isAttended) return;
  const { model_type: architecture, local_attention: window } = config;
  const isTooNear = isCount(window) && window > 0 && query.maxLength > window / 2;
  if (!isTooNear && architecture !== 'deberta-v2') return;
  const reason = isTooNear
    ? `layers with local attention read ${window / 2} tokens to each side, but queries have up to ${query.maxLength}`
    : 'tokens of this architecture that are not attended to do not attend to others, either';
  throw configError(
    `The graph of this model cannot be written: ${reason}. Export the model to ONNX, or set \`query_length\`, \`attend_to_expansion_tokens\` or \`do_query_expansion\` if the model was trained with other values.`,
  );
}
