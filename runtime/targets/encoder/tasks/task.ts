import type { Manifest } from '#contract/manifest.ts';
import type { EmbeddingOutput } from '#contract/embedding-outputs.ts';
import type { TextRole } from '#contract/multi-vector.ts';
import type { AppliedPrompt } from '#core/model/applied-prompt.ts';
import type { TextInput, TokenizedText } from '#core/model/tokenized-text.ts';
import type { EntityOptions } from '#core/model/entity-options.ts';
import type { VectorOptions } from '#core/model/vector-plan.ts';
import type { AnswerPlan } from '#core/model/answer-plan.ts';
import type { LabelPlan } from '#core/model/label-plan.ts';
import type { AggregationStrategy } from '../math/entities.ts';
import type { ImageLabels } from '../math/image-labels.ts';
import type { Inference } from '../math/inference.ts';
import type { MaskFormat } from '../math/masks.ts';

export interface ResultOptions extends VectorOptions {
  /** Maximum number of labels or of candidates per mask. The highest scores are kept. */
  readonly topK?: number | undefined;
  /** Object detection only: objects with a score up to this one are not returned. */
  readonly threshold?: number | undefined;
  /** Fill-mask only: ids of the tokens to score. Default: all tokens. */
  readonly targets?: readonly number[] | undefined;
  /** Sparse embeddings only: number of values to keep, largest first. Default: all nonzero values. */
  readonly maxActiveDims?: number | undefined;
  /** Sentence embedding models with several outputs only: the outputs to return. Default: dense vectors. */
  readonly outputs?: readonly EmbeddingOutput[] | undefined;
  /** Multi-vector models only: the role of the texts. Default: documents. */
  readonly role?: TextRole | undefined;
  /** Question answering only: which answers to return. */
  readonly answers?: AnswerPlan | undefined;
  /** Zero-shot NER only: which entities to find. */
  readonly entities?: EntityOptions | undefined;
  /** Image segmentation only: the form of masks. Default: run-length. */
  readonly mask?: MaskFormat | undefined;
}

/** The settings and the tokenizer of the model whose results are printed. */
export interface PrintModel {
  readonly manifest: Manifest;
  /** The token with an id as written in the vocabulary; null if there is none. */
  readonly tokenOf: (id: number) => string | null;
  /** The id of a token as written in the vocabulary. */
  readonly idOf: (token: string) => number | undefined;
  readonly tokenize: (
    texts: readonly string[],
    addSpecialTokens: boolean,
  ) => Promise<readonly TokenizedText[]>;
  readonly decode: (ids: readonly (readonly number[])[], skipSpecialTokens: boolean) => Promise<string[]>;
  /** Runs the model on texts. */
  readonly infer: (texts: readonly string[]) => Promise<readonly Inference[]>;
}

/**
 * An `infer` flag that only some model types support. Flags are plain data, because help lists the
 * flags of all model types.
 */
export interface InferFlag {
  /** Placeholder for the value in help. Without it, the flag is a switch. */
  readonly value?: string;
  readonly help: string;
  readonly defaultText?: string;
  readonly choices?: readonly string[];
  readonly repeatable?: boolean;
  readonly canBeEmpty?: boolean;
  /**
   * How messages describe the models that support the flag, including an article. Default: a list
   * of their model types.
   */
  readonly models?: string;
}

/** Reads the values of command-line flags. */
export interface FlagReader {
  readonly text: (name: string) => string | undefined;
  readonly texts: (name: string) => readonly string[];
  /** The comma-separated words in the flag's value. If the flag is repeated, the words are combined. */
  readonly words: (name: string) => string[];
  readonly isSet: (name: string) => boolean;
  /** `true` or `false`. */
  readonly choice: (name: string) => boolean | undefined;
  /** An integer from 1 to `max`. */
  readonly count: (name: string, max?: number) => number | undefined;
  /** A number from 0 to 1. */
  readonly share: (name: string) => number | undefined;
}

export interface PrintOptions extends ResultOptions {
  readonly normalize: boolean;
  /** Embeddings on the command line only: whether to return one vector per text or one per token. */
  readonly pooling: 'mean' | 'none';
  /** The prompt of each text, and the adapter that reads the texts. */
  readonly prompt: AppliedPrompt;
  /** Zero-shot classification only: the labels and how they are compared. */
  readonly zeroShot?: LabelPlan | undefined;
  /** Zero-shot image classification only: the labels with their vectors. */
  readonly imageLabels?: ImageLabels | undefined;
  /** Sparse embeddings on the command line only: whether to add the token of each index. */
  readonly tokens: boolean;
  /** Question answering only: the question about each text. */
  readonly questions?: { readonly question: string; readonly plan: AnswerPlan } | undefined;
  /** Token classification only: how to group tokens into entities. */
  readonly aggregation?: AggregationStrategy | undefined;
}

/**
 * How a model type converts raw output to results. Each type is defined in a file with the name of
 * the type.
 */
export type Task<Result> = TaskResults<Result> & PrintedLine;

interface TaskResults<Result> {
  /** Whether results contain tokens. */
  readonly details: boolean;
  /** Returns the result for one text in the form that servers return. */
  result(inference: Inference, manifest: Manifest, options: ResultOptions): Result;
  /**
   * Encodes a result as the contract's protobuf message. Undefined if one message contains the
   * results of several inputs.
   */
  proto?(result: Result): Uint8Array;
  /** Returns the model inputs for a text in `infer`. Default: the text itself. */
  readonly inputs?: (text: string, options: PrintOptions) => readonly TextInput[];
  /** `infer` flags by name. Help lists them in this order. */
  readonly flags?: Readonly<Record<string, InferFlag>>;
  /** Names of flags that another type defines. */
  readonly sharedFlags?: readonly string[];
  /** Converts the flag values to options. */
  printOptions?(flags: FlagReader, model: PrintModel): Partial<PrintOptions> | Promise<Partial<PrintOptions>>;
  /** The name of the list in the output of `infer`. */
  readonly printedAs: 'embeddings' | 'predictions';
}

/** How `infer` prints the result for a text: `printed` returns one element of the list. */
type PrintedLine =
  | { readonly lineKey?: undefined; printed(...args: Printed): object | Promise<object> }
  /** The key of the result in an output line of `infer --input`. */
  | { readonly lineKey: string; printed(...args: Printed): unknown };

type Printed = [inference: Inference, model: PrintModel, options: PrintOptions, text: string];
