/** Requirements of each model type on its ONNX graph. One row per type; builder and runtime use the same table. */
export const MODEL_TYPES = {
  embedding: { output: 'last_hidden_state', shape: ['batch_size', 'sequence_length', 'hidden_size'] },
  /** Other outputs can be used as well, see the builder's `select-output.ts`. The build adds the pooling to the graph. */
  sparse_embedding: { output: 'logits', shape: ['batch_size', 'sequence_length', 'vocabulary_size'] },
  /** The build reduces logits of all tokens to those of masked ones. */
  fill_mask: { output: 'logits', shape: ['batch_size', 'sequence_length', 'vocabulary_size'] },
  sequence_classification: { output: 'logits', shape: ['batch_size', 'num_labels'] },
  /** A model for natural language inference: whether a text entails a sentence about it. */
  zero_shot_classification: { output: 'logits', shape: ['batch_size', 'num_labels'] },
  /** Two values per token: whether an answer starts, and whether it ends there. */
  question_answering: { output: 'logits', shape: ['batch_size', 'num_tokens', '2'] },
  token_classification: { output: 'logits', shape: ['batch_size', 'num_tokens', 'num_labels'] },
  /** The last two axes of token-level models are the labels and the three positions. */
  zero_shot_ner: { output: 'logits', shape: ['batch_size', 'num_words', 'max_width', 'num_labels'] },
  /** Other outputs can be used as well, see the builder's `select-output.ts`. */
  sentence_embedding: {
    output: 'last_hidden_state',
    shape: ['batch_size', 'sequence_length', 'hidden_size'],
  },
  multi_vector: { output: 'last_hidden_state', shape: ['batch_size', 'sequence_length', 'hidden_size'] },
} as const satisfies Record<string, { output: string; shape: readonly string[] }>;

export type ModelType = keyof typeof MODEL_TYPES;
export const MODEL_TYPE_NAMES = Object.keys(MODEL_TYPES) as ModelType[];

/** Whether results of this model type are dense vectors. */
export const returnsVectors = (type: ModelType): boolean =>
  returnsTextVectors(type) || type === 'multi_vector';

/** Whether a text can have a single vector, as APIs of embedding models return it. */
export const returnsTextVectors = (type: ModelType): boolean =>
  type === 'embedding' || type === 'sentence_embedding';

/** Whether results of this model type have the labels of config.json. */
export const hasLabels = (type: ModelType): boolean =>
  type === 'sequence_classification' ||
  type === 'zero_shot_classification' ||
  type === 'token_classification';

/** Model types whose results a transform can change. */
export const TRANSFORM_TYPES = [
  'embedding',
  'sequence_classification',
  'token_classification',
  'sentence_embedding',
  'multi_vector',
] as const satisfies readonly ModelType[];
export type TransformType = (typeof TRANSFORM_TYPES)[number];
export const hasTransforms = (type: ModelType): type is TransformType =>
  TRANSFORM_TYPES.some((name) => name === type);
