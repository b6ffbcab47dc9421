/** Requirements of each model type on its ONNX graph. One row per type; builder and runtime use the same table. */
export const MODEL_TYPES = {
  embedding: { output: 'last_hidden_state', shape: ['batch_size', 'sequence_length', 'hidden_size'] },
  sequence_classification: { output: 'logits', shape: ['batch_size', 'num_labels'] },
  /** A model for natural language inference: whether a text entails a sentence about it. */
  zero_shot_classification: { output: 'logits', shape: ['batch_size', 'num_labels'] },
  token_classification: { output: 'logits', shape: ['batch_size', 'num_tokens', 'num_labels'] },
  /** Other outputs can be used as well, see the builder's `select-output.ts`. */
  sentence_embedding: {
    output: 'last_hidden_state',
    shape: ['batch_size', 'sequence_length', 'hidden_size'],
  },
} as const satisfies Record<string, { output: string; shape: readonly string[] }>;

export type ModelType = keyof typeof MODEL_TYPES;
export const MODEL_TYPE_NAMES = Object.keys(MODEL_TYPES) as ModelType[];

/** Whether a Lua transform can process the output. The results of other types are computed from the outputs of several runs. */
export const allowsTransform = (type: ModelType): boolean => type !== 'zero_shot_classification';

export const TRANSFORM_TYPES = MODEL_TYPE_NAMES.filter(allowsTransform);

/** Whether results of this model type are vectors; other types return labels. */
export const returnsVectors = (type: ModelType): boolean =>
  type === 'embedding' || type === 'sentence_embedding';
