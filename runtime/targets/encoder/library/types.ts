import type {
  EmbeddingOptions,
  FillMaskOptions,
  ImageClassificationOptions,
  ImageEmbeddingOptions,
  ImageSegmentationOptions,
  ImageTextEmbeddingOptions,
  MultiVectorOptions,
  ObjectDetectionOptions,
  OverflowOptions,
  QuestionAnsweringOptions,
  Results,
  SentenceEmbeddingOptions,
  SequenceClassificationOptions,
  SparseEmbeddingOptions,
  TokenClassificationOptions,
  ZeroShotClassificationOptions,
  ZeroShotImageClassificationOptions,
  ZeroShotNerOptions,
} from './request-types.ts';

/** The options of `open`. */
export interface OpenOptions<Type extends ModelType = ModelType> {
  /** The type that the model must have. `open` rejects models of other types, and returns the methods of this type. */
  readonly type?: Type | undefined;
  /** Number of inference threads. Default: one per processor, if memory allows. */
  readonly workers?: number | undefined;
  /** Compute threads per inference thread. Default: processors divided by `workers`. */
  readonly threads?: number | undefined;
  /** Maximum tokens per batch, padding included. Default: 512 per compute thread. */
  readonly maxBatchTokens?: number | undefined;
  /** Maximum characters per input. Default: 200000. */
  readonly maxInputChars?: number | undefined;
  /** Maximum windows per input, if the model processes long texts in windows. Default: 256. */
  readonly maxWindows?: number | undefined;
  /** Maximum size of an image file in bytes. Default: 20971520. */
  readonly maxImageBytes?: number | undefined;
  /** Maximum pixels of an image. Default: 40000000, less if memory is limited. */
  readonly maxImagePixels?: number | undefined;
  /** How to handle texts longer than the model supports. Default: `truncate`. */
  readonly onOverflow?: 'truncate' | 'error' | undefined;
  /** Memory for results of repeated inputs, in bytes. Default: 0, every result is computed. */
  readonly resultCache?: number | undefined;
  /** The device that runs the model. Default: `cpu`. */
  readonly device?: 'auto' | 'cpu' | 'gpu' | undefined;
  /** Folder for extracted native libraries and built models. Default: the user's cache folder. */
  readonly cacheDir?: string | undefined;
  /** Variant of a model that has several ONNX graphs, for example `fp16`. Only for models that are built first. */
  readonly variant?: string | undefined;
  /** Whether to use only files in the cache of the Hugging Face Hub. */
  readonly offline?: boolean | undefined;
  /** Whether to print the progress of a build to stderr. */
  readonly verbose?: boolean | undefined;
  /** Cancels the opening. */
  readonly signal?: AbortSignal | undefined;
}

/** The options of a call, besides the fields of the request. */
export interface CallOptions {
  /** Cancels the call; inputs that are not running yet are dropped. The promise rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** Calls with `interactive` run before calls with `bulk`. Default: `interactive` for calls of at most 512 tokens. */
  readonly priority?: 'interactive' | 'bulk' | undefined;
}

/** An image: the path or the bytes of a JPEG, PNG, WebP or GIF file, a `file:` or `data:` URL, or a Blob. */
export type ImageInput = string | URL | Uint8Array | Blob;
/** A text, or an image of a model that reads both. A string is a text. */
export type TextOrImageInput =
  | string
  | URL
  | Uint8Array
  | Blob
  | { readonly text: string }
  | { readonly image: ImageInput };
/** Two texts that the model reads as a pair, for example a query and a document. */
export type TextPair = readonly [text: string, pair: string];
/** A question about a text. */
export interface Question {
  readonly question: string;
  readonly context: string;
}

/** A vector with memory of its own. */
export type Vector = Float32Array<ArrayBuffer>;

export interface SparseVector {
  /** Token ids with nonzero values, in ascending order. */
  readonly indices: Int32Array<ArrayBuffer>;
  /** Value for each index. */
  readonly values: Vector;
  /** Token for each index, if `tokens` is set; null for an index that is not in the vocabulary. */
  readonly tokens?: readonly (string | null)[] | undefined;
}

/** The requested `outputs` of a sentence_embedding model that has several. */
export interface EmbeddingOutputs {
  /** The vector of the text, if `outputs` contains `dense`. */
  readonly embedding?: Vector | undefined;
  /** One vector per token, if `outputs` contains `multi_vector`. */
  readonly vectors?: readonly Vector[] | undefined;
  /** The sparse vector, if `outputs` contains `sparse`. */
  readonly sparse?: SparseVector | undefined;
}

/** The members that all models have. */
interface AnyModel<Type extends ModelType> {
  readonly type: Type;
  /** Name of the model. */
  readonly name: string;
  readonly version: string;
  /** Labels in the order of their indexes; undefined for models without labels. */
  readonly labels: readonly string[] | undefined;
  /** Finishes accepted calls, ends all threads and frees the memory of the model. Later calls are rejected. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A model that computes vectors. */
interface VectorModel<Type extends ModelType, Input, Options, Result> extends AnyModel<Type> {
  /** Number of dimensions of a vector. */
  readonly dimensions: number;
  /** Returns the vector of each input, in order. */
  embed(inputs: readonly Input[], ...options: MaybeRequired<Options & CallOptions>): Promise<Result[]>;
}

/** A model of any other type. */
interface PredictModel<Type extends keyof Results, Input, Options> extends AnyModel<Type> {
  readonly dimensions: undefined;
  /** Returns the result for each input, in order: the entries of `results` in the response of `POST /predict`. */
  predict(
    inputs: readonly Input[],
    ...options: MaybeRequired<Options & CallOptions>
  ): Promise<Results[Type][]>;
}

/** The options of a call, which can be omitted if none is required. */
type MaybeRequired<Options> = object extends Options ? [options?: Options] : [options: Options];

type Texts<Options> = Options & OverflowOptions;

interface SentenceEmbeddingModel extends AnyModel<'sentence_embedding'> {
  readonly dimensions: number;
  /** Returns the vector of each text, in order; with `outputs`, the requested outputs of each text. */
  embed(
    inputs: readonly (string | TextPair)[],
    options: Texts<SentenceEmbeddingOptions> & CallOptions & { readonly outputs: readonly string[] },
  ): Promise<EmbeddingOutputs[]>;
  embed(
    inputs: readonly (string | TextPair)[],
    options?: Texts<SentenceEmbeddingOptions> & CallOptions & { readonly outputs?: null | undefined },
  ): Promise<Vector[]>;
}

interface EmbeddingModel extends AnyModel<'embedding'> {
  readonly dimensions: number;
  /** Returns the mean of the token vectors of each text, in order; with `pooling: 'none'`, the token vectors of each text. */
  embed(
    inputs: readonly (string | TextPair)[],
    options: Texts<EmbeddingOptions> & CallOptions & { readonly pooling: 'none' },
  ): Promise<Vector[][]>;
  embed(
    inputs: readonly (string | TextPair)[],
    options?: Texts<EmbeddingOptions> & CallOptions & { readonly pooling?: 'mean' | undefined },
  ): Promise<Vector[]>;
}

/** The model of each type. */
export interface Models {
  readonly sentence_embedding: SentenceEmbeddingModel;
  readonly embedding: EmbeddingModel;
  readonly sparse_embedding: VectorModel<
    'sparse_embedding',
    string | TextPair,
    Texts<SparseEmbeddingOptions>,
    SparseVector
  >;
  readonly multi_vector: VectorModel<'multi_vector', string, Texts<MultiVectorOptions>, Vector[]>;
  readonly image_embedding: VectorModel<'image_embedding', ImageInput, ImageEmbeddingOptions, Vector>;
  readonly image_text_embedding: VectorModel<
    'image_text_embedding',
    TextOrImageInput,
    Texts<ImageTextEmbeddingOptions>,
    Vector
  >;
  readonly fill_mask: PredictModel<'fill_mask', string | TextPair, Texts<FillMaskOptions>>;
  readonly sequence_classification: PredictModel<
    'sequence_classification',
    string | TextPair,
    Texts<SequenceClassificationOptions>
  >;
  readonly zero_shot_classification: PredictModel<
    'zero_shot_classification',
    string,
    Texts<ZeroShotClassificationOptions>
  >;
  readonly question_answering: PredictModel<'question_answering', Question, Texts<QuestionAnsweringOptions>>;
  readonly token_classification: PredictModel<
    'token_classification',
    string | TextPair,
    Texts<TokenClassificationOptions>
  >;
  readonly zero_shot_ner: PredictModel<'zero_shot_ner', string, Texts<ZeroShotNerOptions>>;
  readonly image_classification: PredictModel<'image_classification', ImageInput, ImageClassificationOptions>;
  readonly image_segmentation: PredictModel<'image_segmentation', ImageInput, ImageSegmentationOptions>;
  readonly object_detection: PredictModel<'object_detection', ImageInput, ObjectDetectionOptions>;
  readonly zero_shot_image_classification: PredictModel<
    'zero_shot_image_classification',
    ImageInput,
    Texts<ZeroShotImageClassificationOptions>
  >;
}

export type ModelType = keyof Models;
/** A model of one of these types; by default, of any type. Its `type` distinguishes them. */
export type Model<Type extends ModelType = ModelType> = Models[Type];

/** Opens a model: an executable, a folder that contains a model, or a model of the Hugging Face Hub such as `hf:org/name`. */
export interface Open {
  <Type extends ModelType>(
    source: string | URL,
    options: OpenOptions<Type> & { readonly type: Type },
  ): Promise<Model<Type>>;
  (source: string | URL, options?: OpenOptions): Promise<Model>;
}
