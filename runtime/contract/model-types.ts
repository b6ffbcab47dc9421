/** The properties of a model type: the requirements for its ONNX graph, and the kind of its results. */
interface TypeRow {
  /**
   * What the inputs of this type are: images; texts or images; or images, with texts in the labels of a
   * request. Default: texts.
   */
  readonly input?: 'image' | 'text or image' | 'image with labels';
  /** Name of the graph's output. */
  readonly output: string;
  readonly shape: readonly string[];
  /**
   * The kind of vectors in results: one per token, which can be pooled to one per text; one per
   * text; one per token, for comparing texts by late interaction; or sparse vectors.
   */
  readonly vectors?: 'tokens' | 'text' | 'late-interaction' | 'sparse';
  /** Whether results contain the labels from config.json. */
  readonly labels?: true;
  /** Whether a result consists of one score for each of these labels. */
  readonly classifies?: true;
  /** Whether a transform can change results. */
  readonly transforms?: true;
  /**
   * Whether long texts are always read in windows, or why they never are; undefined if the config
   * file determines it.
   */
  readonly windows?: 'always' | { readonly never: string };
}

const CAPTIONS = { never: 'the encoder of texts was trained with short texts' };
const IMAGES = { never: 'an image is scaled to the size that the model reads' };

/** One row per model type. The builder and the runtime use the same table. */
export const MODEL_TYPES = {
  embedding: {
    output: 'last_hidden_state',
    shape: ['batch_size', 'sequence_length', 'hidden_size'],
    vectors: 'tokens',
    transforms: true,
  },
  /** Other outputs can be used as well, see the builder's `select-output.ts`. The build adds the pooling to the graph. */
  sparse_embedding: {
    output: 'logits',
    shape: ['batch_size', 'sequence_length', 'vocabulary_size'],
    vectors: 'sparse',
    windows: { never: 'sparse vectors of text parts cannot be merged' },
  },
  /** The build changes the graph to return only the logits of masked tokens instead of all tokens. */
  fill_mask: {
    output: 'logits',
    shape: ['batch_size', 'sequence_length', 'vocabulary_size'],
    windows: { never: 'a mask could appear in two windows' },
  },
  sequence_classification: {
    output: 'logits',
    shape: ['batch_size', 'num_labels'],
    labels: true,
    classifies: true,
    transforms: true,
    windows: { never: 'scores of text parts cannot be merged' },
  },
  /** A natural language inference model, which determines whether a text entails a sentence about it. */
  zero_shot_classification: {
    output: 'logits',
    shape: ['batch_size', 'num_labels'],
    labels: true,
    windows: { never: 'scores of text parts cannot be merged' },
  },
  /** Two values per token: the scores for an answer that starts there and for an answer that ends there. */
  question_answering: { output: 'logits', shape: ['batch_size', 'num_tokens', '2'] },
  token_classification: {
    output: 'logits',
    shape: ['batch_size', 'num_tokens', 'num_labels'],
    labels: true,
    transforms: true,
  },
  /**
   * In models that score words instead of spans, the last two axes are the labels and the three
   * positions (start, end and inside).
   */
  zero_shot_ner: {
    output: 'logits',
    shape: ['batch_size', 'num_words', 'max_width', 'num_labels'],
    windows: 'always',
  },
  /** Other outputs can be used as well, see the builder's `select-output.ts`. */
  sentence_embedding: {
    output: 'last_hidden_state',
    shape: ['batch_size', 'sequence_length', 'hidden_size'],
    vectors: 'text',
    transforms: true,
  },
  multi_vector: {
    output: 'last_hidden_state',
    shape: ['batch_size', 'sequence_length', 'hidden_size'],
    vectors: 'late-interaction',
    transforms: true,
    windows: { never: 'each document has its own marker and maximum length' },
  },
  image_classification: {
    input: 'image',
    output: 'logits',
    shape: ['batch_size', 'num_labels'],
    labels: true,
    classifies: true,
    windows: IMAGES,
  },
  /** One vector per patch of an image, or one per image. */
  image_embedding: {
    input: 'image',
    output: 'last_hidden_state',
    shape: ['batch_size', 'num_patches', 'hidden_size'],
    vectors: 'text',
    windows: IMAGES,
  },
  /** The scores of each label for each cell of a map, which is smaller than the image. */
  image_segmentation: {
    input: 'image',
    output: 'logits',
    shape: ['batch_size', 'num_labels', 'height', 'width'],
    labels: true,
    windows: IMAGES,
  },
  /** For each query: the logits of the labels, and the box. The build joins the two outputs of exported graphs. */
  object_detection: {
    input: 'image',
    output: 'detections',
    shape: ['batch_size', 'num_queries', 'num_labels + 4'],
    labels: true,
    windows: IMAGES,
  },
  /** Vectors of texts and of images in one space. Each of the two encoders has a graph of its own. */
  image_text_embedding: {
    input: 'text or image',
    output: 'text_embeds',
    shape: ['batch_size', 'hidden_size'],
    vectors: 'text',
    windows: CAPTIONS,
  },
  /** The same encoders, for comparing an image with texts about labels. */
  zero_shot_image_classification: {
    input: 'image with labels',
    output: 'text_embeds',
    shape: ['batch_size', 'hidden_size'],
    windows: CAPTIONS,
  },
} as const satisfies Record<string, TypeRow>;

export type ModelType = keyof typeof MODEL_TYPES;
export const MODEL_TYPE_NAMES = Object.keys(MODEL_TYPES) as ModelType[];

const rowOf = (type: ModelType): TypeRow => MODEL_TYPES[type];

/** Model types that read only images. */
export type ImageModelType = {
  [Type in ModelType]: (typeof MODEL_TYPES)[Type] extends { readonly input: 'image' } ? Type : never;
}[ModelType];
export type TextModelType = Exclude<ModelType, ImageModelType>;
/** Whether models of this type read only images, and therefore have no tokenizer. */
export const readsImages = (type: ModelType): type is ImageModelType => rowOf(type).input === 'image';

/** Model types that read texts and images. */
export type TowersModelType = {
  [Type in ModelType]: (typeof MODEL_TYPES)[Type] extends {
    readonly input: 'text or image' | 'image with labels';
  }
    ? Type
    : never;
}[ModelType];
export const readsTextsAndImages = (type: ModelType): type is TowersModelType =>
  rowOf(type).input === 'text or image' || rowOf(type).input === 'image with labels';

/** Whether each input of this type can be a text or an image. */
export const hasMixedInputs = (type: ModelType): boolean => rowOf(type).input === 'text or image';

/** Whether all inputs of this type are images. */
export const hasImageInputs = (type: ModelType): boolean =>
  rowOf(type).input === 'image' || rowOf(type).input === 'image with labels';

/** Whether a result consists of one score for each label of the model. */
export const isClassifier = (type: ModelType): boolean => rowOf(type).classifies === true;

/** The kind of vectors in this model type's results; undefined if results are not vectors. */
export const vectorKind = (type: ModelType): TypeRow['vectors'] => rowOf(type).vectors;

/** Whether this model type's results are dense vectors. */
export const returnsVectors = (type: ModelType): boolean =>
  returnsTextVectors(type) || vectorKind(type) === 'late-interaction';

/** Whether models of this type can return a single vector per text, as embedding APIs do. */
export const returnsTextVectors = (type: ModelType): boolean =>
  vectorKind(type) === 'tokens' || vectorKind(type) === 'text';

/** Whether this model type's results contain the labels from config.json. */
export const hasLabels = (type: ModelType): boolean => rowOf(type).labels ?? false;

/**
 * Whether models of this type always read long texts in windows, or why they never do; undefined if
 * the config file determines it.
 */
export const windowsRule = (type: ModelType): TypeRow['windows'] => rowOf(type).windows;

/** Model types whose results a transform can change. */
export type TransformType = {
  [Type in ModelType]: (typeof MODEL_TYPES)[Type] extends { readonly transforms: true } ? Type : never;
}[ModelType];
export const hasTransforms = (type: ModelType): type is TransformType => rowOf(type).transforms ?? false;
export const TRANSFORM_TYPES = MODEL_TYPE_NAMES.filter((type) => hasTransforms(type));
