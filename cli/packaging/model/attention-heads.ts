import type { ModelConfig } from './labels.ts';

/** Returns the number of attention heads that config.json states. */
export function attentionHeads({ num_attention_heads, n_heads, num_heads }: ModelConfig): number | undefined {
  return [num_attention_heads, n_heads, num_heads].find(
    (heads): heads is number => Number.isInteger(heads) && Number(heads) > 0,
  );
}
