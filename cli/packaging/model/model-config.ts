import type { ModelFiles } from './locate-files.ts';
import { readJson } from './read-json.ts';

/** The members of config.json that are used. */
export interface ModelConfig {
  readonly model_type?: unknown;
  readonly num_labels?: unknown;
  readonly id2label?: unknown;
  readonly label2id?: unknown;
  readonly problem_type?: unknown;
  readonly max_position_embeddings?: unknown;
  readonly pad_token_id?: unknown;
  readonly hidden_size?: unknown;
  readonly num_attention_heads?: unknown;
  /** The name in configurations of DistilBERT and XLM. */
  readonly n_heads?: unknown;
  /** The name in configurations of T5. */
  readonly num_heads?: unknown;
}

/** Reads config.json; empty if the model has none. */
export const readModelConfig = async ({ modelConfig }: ModelFiles): Promise<ModelConfig> =>
  modelConfig === undefined ? {} : await readJson<ModelConfig>(modelConfig);

/** Returns the number of attention heads that config.json states. */
export function attentionHeads({ num_attention_heads, n_heads, num_heads }: ModelConfig): number | undefined {
  return [num_attention_heads, n_heads, num_heads].find(
    (heads): heads is number => Number.isInteger(heads) && Number(heads) > 0,
  );
}
