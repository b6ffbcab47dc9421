/** What each model type must look like at the ONNX boundary. One row per type; builder and runtime read the same table. */
export const MODEL_TYPES = {
  embedding: { output: 'last_hidden_state', shape: ['batch_size', 'sequence_length', 'hidden_size'] },
  sequence_classification: { output: 'logits', shape: ['batch_size', 'num_labels'] },
  token_classification: { output: 'logits', shape: ['batch_size', 'num_tokens', 'num_labels'] },
  /** Other outputs will do as well, see the builder's `wanted-output.ts`. */
  sentence_embedding: {
    output: 'last_hidden_state',
    shape: ['batch_size', 'sequence_length', 'hidden_size'],
  },
} as const satisfies Record<string, { output: string; shape: readonly string[] }>;

export type ModelType = keyof typeof MODEL_TYPES;
export const MODEL_TYPE_NAMES = Object.keys(MODEL_TYPES) as ModelType[];

/** Whether a model's results are vectors; the others say labels. */
export const returnsVectors = (type: ModelType): boolean =>
  type === 'embedding' || type === 'sentence_embedding';
