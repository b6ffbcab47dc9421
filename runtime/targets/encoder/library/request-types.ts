// Generated from the schemas of POST /predict by `npm run generate`. Do not edit.

export interface OverflowOptions {
  /** How to handle texts that are too long: `false` or `NONE` rejects them, `true` truncates them, `START` removes tokens from the start, and `END` from the end. Default: the option `onOverflow` of `open`. */
  readonly truncate?: true | false | 'NONE' | 'START' | 'END' | null | undefined;
  /** Side from which tokens are removed. Default: the model’s setting. */
  readonly truncation_direction?: 'right' | 'left' | 'Right' | 'Left' | null | undefined;
}

export interface EmbeddingOptions {
  /** Whether to L2-normalize vectors. */
  readonly normalize?: boolean | null | undefined;
}

export interface SparseEmbeddingOptions {
  /** Number of largest values to keep per vector. Default: all nonzero values. */
  readonly max_active_dims?: number | null | undefined;
  /** Whether to add `tokens`: the token for each index, as written in the vocabulary. */
  readonly tokens?: boolean | null | undefined;
  /** Whether the texts are queries, whose values come from a table of token weights, or documents. Default: documents. */
  readonly input_type?: 'query' | 'document' | null | undefined;
}

export interface FillMaskOptions {
  /** Number of candidates per mask. Default: 5. */
  readonly top_k?: number | null | undefined;
  /** Score only these tokens. Words that consist of several tokens are rejected. */
  readonly targets?: readonly string[] | null | undefined;
}

export interface SequenceClassificationOptions {
  /** Number of highest-scoring labels to return in `top`. */
  readonly top_k?: number | null | undefined;
  /** Instruction in the model’s prompt, for pairs of a query and a document. Default: the one that the model was published with. */
  readonly instruction?: string | null | undefined;
}

export interface ZeroShotClassificationOptions {
  /** Labels to score. The model runs once per text and label. */
  readonly candidate_labels: readonly string[];
  /** A sentence that is true if a label applies; `{}` is replaced with the label. Default: "This example is {}.". */
  readonly hypothesis_template?: string | null | undefined;
  /** Whether several labels can apply. If so, scores are independent; otherwise they sum to 1. Default: false. */
  readonly multi_label?: boolean | null | undefined;
}

export interface QuestionAnsweringOptions {
  /** Maximum number of answers. Default: 1. */
  readonly top_k?: number | null | undefined;
  /** Maximum number of tokens in an answer. Default: 15. */
  readonly max_answer_len?: number | null | undefined;
  /** Whether an empty answer is allowed. Default: false. */
  readonly handle_impossible_answer?: boolean | null | undefined;
}

export interface TokenClassificationOptions {
  /** Add `entities`, grouped as in the transformers pipeline; `none` omits them. Requires single texts, not pairs. */
  readonly aggregation?: 'none' | 'simple' | 'first' | 'average' | 'max' | null | undefined;
}

export interface ZeroShotNerOptions {
  /** Entity types to find, in your own words, e.g. `person` or `product name`. */
  readonly labels: readonly string[];
  /** Score threshold: only entities with a higher score are returned. Default: 0.5. */
  readonly threshold?: number | null | undefined;
  /** Whether to return only entities that do not overlap. With `false`, an entity can be part of another entity. Default: true. */
  readonly flat_ner?: boolean | null | undefined;
  /** Whether the same words can be returned with several types. Default: false. */
  readonly multi_label?: boolean | null | undefined;
}

export interface SentenceEmbeddingOptions {
  /** Whether to L2-normalize vectors. Default: the model’s setting. */
  readonly normalize?: boolean | null | undefined;
  /** Truncate vectors to this many dimensions. Default: the model’s setting. */
  readonly dimensions?: number | null | undefined;
  /** Name of the prompt to prepend to each text; an empty name means no prompt. Default: the model’s default prompt. */
  readonly prompt_name?: string | null | undefined;
  /** Task whose adapter the model uses, as in Jina’s API. Default: the task with the name of the prompt. Its prompt is prepended to each text unless `prompt_name` or `prompt` is set. */
  readonly task?: string | null | undefined;
  /** Text to prepend to each text instead of one of the model’s prompts; an empty text means no prompt. */
  readonly prompt?: string | null | undefined;
  /** Task to use instead of the one in the model’s prompt. Requires a prompt that contains one; cannot be combined with `prompt`. */
  readonly instruction?: string | null | undefined;
  /** Form of the model: `fast` is the static form, whose vectors have their own dimensions and cannot be compared with those of `exact`, the model itself. Default: "exact". */
  readonly stage?: 'exact' | 'fast' | null | undefined;
  /** Outputs to return for each text, computed in one run of the model. Default: dense vectors. */
  readonly outputs?: readonly ('dense' | 'sparse' | 'multi_vector')[] | null | undefined;
  /** Number of largest values to keep per vector. Default: all nonzero values. */
  readonly max_active_dims?: number | null | undefined;
  /** Whether to add `tokens`: the token for each index, as written in the vocabulary. */
  readonly tokens?: boolean | null | undefined;
}

export interface MultiVectorOptions {
  /** Whether the texts are queries or documents, which are encoded differently. */
  readonly input_type: 'query' | 'document';
  /** Whether to L2-normalize vectors. Default: the model’s setting. */
  readonly normalize?: boolean | null | undefined;
}

export interface ImageClassificationOptions {
  /** Number of highest-scoring labels to return in `top`. */
  readonly top_k?: number | null | undefined;
}

export interface ImageEmbeddingOptions {
  /** Whether to L2-normalize vectors. Default: the model’s setting. */
  readonly normalize?: boolean | null | undefined;
  /** Truncate vectors to this many dimensions. Default: the model’s setting. */
  readonly dimensions?: number | null | undefined;
}

export interface ImageSegmentationOptions {
  /** Form of the masks: run-length as in COCO, or PNG files. Default: "rle". */
  readonly mask?: 'rle' | 'png' | null | undefined;
}

export interface ObjectDetectionOptions {
  /** Score threshold: only objects with a higher score are returned. Default: 0.5. */
  readonly threshold?: number | null | undefined;
  /** Maximum number of objects, highest score first. Default: all. */
  readonly top_k?: number | null | undefined;
}

export interface ImageTextEmbeddingOptions {
  /** Whether to L2-normalize vectors. Default: the model’s setting. */
  readonly normalize?: boolean | null | undefined;
  /** Truncate vectors to this many dimensions. Default: the model’s setting. */
  readonly dimensions?: number | null | undefined;
}

export interface ZeroShotImageClassificationOptions {
  /** Labels to score. */
  readonly candidate_labels: readonly string[];
  /** The text about a label that images are compared with; `{}` is replaced with the label. Default: "This is a photo of {}.". */
  readonly hypothesis_template?: string | null | undefined;
}

export interface FillMaskResult {
  /** Masks in the text, in order. */
  readonly masks: readonly FilledMask[];
}

export interface FilledMask {
  /** Highest score first. */
  readonly candidates: readonly MaskCandidate[];
}

export interface MaskCandidate {
  readonly token: string;
  readonly token_id: number;
  /** Probability of the token. */
  readonly score: number;
  /** The text with the token in place of the mask. */
  readonly sequence: string;
}

export interface SequenceClassificationResult {
  /** Raw model output for each label. */
  readonly logits: readonly number[];
  /** Score of each label: softmax of the logits; sigmoid for models with one label or with several labels per text; the logits for regression. */
  readonly scores: readonly number[];
  /** Index of the label with the highest score. */
  readonly predicted_index: number;
  readonly predicted_label?: string | undefined;
  /** Labels with the highest scores, if `top_k` is set. */
  readonly top?: readonly RankedLabel[] | undefined;
}

export interface RankedLabel {
  readonly index: number;
  readonly label: string;
  readonly score: number;
}

export interface ZeroShotResult {
  /** The text. */
  readonly sequence: string;
  /** The labels, highest score first. */
  readonly labels: readonly string[];
  /** The score of each label, in the same order. */
  readonly scores: readonly number[];
}

export interface QuestionAnsweringResult {
  /** Answers, best first. */
  readonly answers: readonly Answer[];
}

export interface Answer {
  /** Answer text, as it appears in the context. */
  readonly answer: string;
  readonly score: number;
  /** Start of the answer in the context, in Unicode code points. */
  readonly start: number;
  /** End of the answer in the context, in Unicode code points. */
  readonly end: number;
}

export interface TokenClassificationResult {
  /** One entry per token, excluding special tokens that the tokenizer adds. */
  readonly tokens: readonly TokenClassification[];
  /** Entities in the text, if `aggregation` is set. */
  readonly entities?: readonly Entity[] | undefined;
}

export interface TokenClassification {
  readonly token_info: TokenInfo;
  /** Raw model output for each label. */
  readonly logits: readonly number[];
  /** Probability of each label. */
  readonly scores: readonly number[];
  /** Label with the highest score. */
  readonly label: string;
  /** Score of the label. */
  readonly score: number;
}

export interface TokenInfo {
  /** Token as written in the vocabulary. */
  readonly token: string;
  readonly token_id: number;
  /** Start of the token in the text, in Unicode code points. */
  readonly start: number;
  /** End of the token in the text, in Unicode code points. */
  readonly end: number;
}

export interface Entity {
  /** Label without its `B-` or `I-` prefix. */
  readonly entity_group: string;
  readonly score: number;
  readonly word: string;
  /** Start of the entity in the text, in Unicode code points. */
  readonly start: number;
  /** End of the entity in the text, in Unicode code points. */
  readonly end: number;
}

export interface ZeroShotNerResult {
  /** Entities in the text, ordered by start. */
  readonly entities: readonly FoundEntity[];
}

export interface FoundEntity {
  /** Text of the entity. */
  readonly text: string;
  /** One of the `labels` in the request. */
  readonly label: string;
  readonly score: number;
  /** Start of the entity in the text, in Unicode code points. */
  readonly start: number;
  /** End of the entity in the text, in Unicode code points. */
  readonly end: number;
}

export interface ImageSegmentationResult {
  /** The labels that were found, in the order of the model’s labels. Each pixel has one label. */
  readonly segments: readonly Segment[];
}

export interface Segment {
  readonly label: string;
  /** Labels of pixels have no score. */
  readonly score: null;
  /** Number of pixels. */
  readonly area: number;
  /** Share of the image, from 0 to 1. */
  readonly share: number;
  /** The pixels in the uncompressed run-length form of COCO. */
  readonly mask?: RunLengthMask | undefined;
  /** The pixels as a grey PNG file of the size of the image, in base64: 255 inside, 0 outside. Only with `mask: png`. */
  readonly png?: string | undefined;
}

export interface RunLengthMask {
  /** Height and width of the image. */
  readonly size: readonly number[];
  /** Numbers of pixels outside and inside, in turn, column by column from the top, starting with pixels outside. */
  readonly counts: readonly number[];
}

export interface ObjectDetectionResult {
  /** Objects in the image, highest score first. Boxes are in pixels of the image as it was sent. */
  readonly objects: readonly FoundObject[];
}

export interface FoundObject {
  readonly label: string;
  readonly score: number;
  readonly box: {
    readonly xmin: number;
    readonly ymin: number;
    readonly xmax: number;
    readonly ymax: number;
  };
}

export interface ZeroShotImageResult {
  /** The labels, highest score first. */
  readonly labels: readonly string[];
  /** The score of each label, in the same order. */
  readonly scores: readonly number[];
}

/** The result for an input, by model type. */
export interface Results {
  readonly fill_mask: FillMaskResult;
  readonly sequence_classification: SequenceClassificationResult;
  readonly zero_shot_classification: ZeroShotResult;
  readonly question_answering: QuestionAnsweringResult;
  readonly token_classification: TokenClassificationResult;
  readonly zero_shot_ner: ZeroShotNerResult;
  readonly image_classification: SequenceClassificationResult;
  readonly image_segmentation: ImageSegmentationResult;
  readonly object_detection: ObjectDetectionResult;
  readonly zero_shot_image_classification: ZeroShotImageResult;
}
