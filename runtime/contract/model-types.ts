/** What each model type must look like at the ONNX boundary. One row per type; builder and runtime read the same table. */
export const MODEL_TYPES = {
  embedding: { output: 'last_hidden_state', shape: ['batch_size', 'sequence_length', 'hidden_size'] },
  sequence_classification: { output: 'logits', shape: ['batch_size', 'num_labels'] },
  token_classification: { output: 'logits', shape: ['batch_size', 'num_tokens', 'num_labels'] },
} as const satisfies Record<string, { output: string; shape: readonly string[] }>;

export type ModelType = keyof typeof MODEL_TYPES;
export const MODEL_TYPE_NAMES = Object.keys(MODEL_TYPES) as ModelType[];
