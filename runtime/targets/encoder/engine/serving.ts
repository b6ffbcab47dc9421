import type { GpuPrecision } from '#contract/devices.ts';
import type { Manifest } from '#contract/manifest.ts';
import type { TextRole } from '#contract/multi-vector.ts';
import type { AppliedPrompt } from '#core/model/applied-prompt.ts';
import type { Stage } from '#contract/stages.ts';
import type { ImageLimits } from '#core/images/read-image-size.ts';
import type { TokenizedText } from '#core/model/tokenized-text.ts';
import type { EntityOptions } from '#core/model/entity-options.ts';
import type { TokenRange } from '#core/model/late-chunking.ts';
import type { VectorOptions } from '#core/model/vector-plan.ts';
import type { Lane } from './lanes.ts';
import type { VectorFormat } from '../json/vector-writer.ts';
import type { VectorRows } from '../math/max-sim.ts';
import type { HybridQuery } from '../tasks/hybrid-score.ts';
import type { LabelOptions } from '../tasks/sequence-classification.ts';
import type { ResultOptions } from '../tasks/task.ts';

/**
 * One model input: a text, a pair of texts, token ids that bypass the tokenizer, or the file of an image.
 * For models that read images, a text is an image in base64 or a `data:` URL.
 */
export type PreparedInput =
  | { readonly text: string; readonly pair?: string | undefined }
  | { readonly ids: readonly number[] }
  | { readonly image: Uint8Array };

/** An input of a request. The URL of an image is replaced with the image if its host is allowed. */
export type EngineInput = PreparedInput | { readonly imageUrl: string };

/** The form of each result. A result is rendered in the thread that computed it. */
export type View =
  /** A result in the shape that the contract defines for the model type, as UTF-8 JSON or as an encoded protobuf message. */
  | { readonly kind: 'result'; readonly format: 'json' | 'proto'; readonly options: ResultOptions }
  /**
   * One vector per input of an embedding model, as a JSON array of numbers, as a JSON string with
   * base64-encoded values, or in several of these forms.
   */
  | (VectorOptions & { readonly kind: 'vector'; readonly format: VectorFormat })
  /**
   * One vector for each part of a text, in the form of `format`, separated by line feeds. `ranges`
   * are the tokens of the parts.
   */
  | (VectorOptions & {
      readonly kind: 'chunks';
      readonly format: VectorFormat;
      readonly ranges: readonly TokenRange[];
    })
  /** The labels of a classifier with their scores or logits, highest first, as a JSON array. Default: all labels. */
  | ({ readonly kind: 'labels' } & LabelOptions)
  /** The spans in a window that are candidates for entities, as a JSON array. */
  | { readonly kind: 'spans'; readonly entities: EntityOptions }
  /** The vectors of all tokens of an embedding model, special tokens included, as a JSON array. */
  | {
      readonly kind: 'tokens';
      /** The first token to return and the end of the range (exclusive). Default: all tokens. */
      readonly range?: readonly [from: number, to: number];
    }
  /** The score of each text of a multi_vector model as a document for a query, as a JSON number. */
  | { readonly kind: 'max-sim'; readonly query: VectorRows }
  /**
   * The score of each text for a query by several outputs of a sentence_embedding model, as a JSON
   * number.
   */
  | { readonly kind: 'hybrid'; readonly query: HybridQuery };

/** A request whose inputs have been checked. */
export interface PreparedRequest extends Omit<EngineRequest, 'inputs'> {
  readonly inputs: readonly PreparedInput[];
}

export interface EngineRequest {
  readonly inputs: readonly EngineInput[];
  /**
   * The index of an input in the caller's request, to which errors and `truncated` refer. Default: the
   * inputs are those of the caller.
   */
  readonly indexOf?: ((input: number) => number) | undefined;
  /**
   * Number of inputs at the start to which the maximum per request applies, if it has been checked for the
   * others. Default: all.
   */
  readonly counted?: number | undefined;
  readonly view: View;
  /** The role of inputs, for models that encode queries and documents differently. Default: documents. */
  readonly role?: TextRole | undefined;
  /** The prompt of each text, and the adapter that reads the texts. */
  readonly prompt?: AppliedPrompt | undefined;
  /** Instruction for pairs, for rerankers whose prompt contains one. Default: the one in the prompt. */
  readonly instruction?: string | undefined;
  /** Types of the entities to find, for zero_shot_ner models. */
  readonly labels?: readonly string[] | undefined;
  /** The lane of the request. Default: depends on the number of tokens. */
  readonly lane?: Lane | undefined;
  /**
   * How to handle texts that are too long. Default: as specified by the settings of the server and
   * of the model.
   */
  readonly overflow?: RequestOverflow | undefined;
  /** Aborted when the client disconnects. Inputs that are not running yet are then dropped. */
  readonly signal?: AbortSignal | undefined;
}

export interface EngineAnswer {
  /** One result per input, in input order. */
  readonly results: readonly Uint8Array[];
  /** Number of tokens processed per input, special tokens included. */
  readonly tokens: readonly number[];
  /** Indexes of the caller's inputs that were truncated, ascending. */
  readonly truncated: readonly number[];
  /** Number of inputs whose results were in the cache; undefined if there is no cache. */
  readonly cached?: number | undefined;
  readonly timings: Timings;
}

/** Durations of the steps, in milliseconds. */
interface Timings {
  readonly tokenization: number;
  readonly queue: number;
  readonly inference: number;
  /** Duration of the whole request. Less than the sum of the other durations if the steps overlap. */
  readonly total: number;
}

export type OverflowRule = 'truncate' | 'error';

/** A request's settings for texts that are too long. An undefined setting has its default value. */
export interface RequestOverflow {
  readonly rule?: OverflowRule | undefined;
  /** The side from which tokens are removed. */
  readonly side?: TruncationSide | undefined;
}

export type TruncationSide = Manifest['tokenizer']['truncationSide'];

export interface EngineLimits {
  /** Maximum number of inputs per request. */
  readonly maxClientBatch: number;
  /** Maximum total number of queued inputs from all requests. */
  readonly maxQueue: number;
  /** Maximum number of characters (Unicode code points) per input. */
  readonly maxInputChars: number;
  /** Maximum number of windows per input, for models that process long texts in windows. */
  readonly maxWindows: number;
  /** The largest images, for models that read images. A model lowers them if memory is limited. */
  readonly images: ImageLimits;
  /** Maximum number of padded tokens per batch. Default: a fixed number per thread of a worker. */
  readonly maxBatchTokens: number | undefined;
  readonly onOverflow: OverflowRule;
  /** Maximum number of bytes for results of repeated inputs. 0: there is no cache. */
  readonly maxCacheBytes: number;
}

export interface TokenBoundary {
  readonly side: 'start' | 'end';
  readonly id: number;
  readonly token: string;
}

/** The device that runs the model. */
export type DeviceState =
  | {
      readonly device: 'gpu';
      readonly name: string;
      readonly precision: GpuPrecision;
      /** Why float16 is not used, if it was requested. */
      readonly note?: string | undefined;
      /** Number of waiting tokens from which batches run on the GPU; fewer run on the CPU. */
      readonly minTokens: number;
      /** Maximum number of padded tokens in a batch. */
      readonly maxTokens: number;
      /** Whether the GPU was slower than the CPU and is used because the user requires it. */
      readonly isSlower: boolean;
    }
  | {
      readonly device: 'cpu';
      /** Why the GPU is not used; undefined while it is being opened. */
      readonly reason?: string | undefined;
      /** Whether the GPU was in use before. */
      readonly isFailure?: boolean | undefined;
    };

export interface EngineStats {
  /** Bytes that the cache of results uses; undefined if there is no cache. */
  readonly cacheBytes?: number | undefined;
  readonly queued: number;
  readonly workers: number;
}

/**
 * A request without the details about the caller: each transport adds the signal for disconnects and
 * the lane.
 */
export type CallerRequest = Omit<EngineRequest, 'signal' | 'lane'>;

/** Runs the model for a caller. */
export type RunModel = (request: CallerRequest) => Promise<EngineAnswer>;

/** A model that serves concurrent callers. Methods that fail reject with an AppError. */
export interface ServingEngine {
  readonly manifest: Manifest;
  /** The stage that this engine computes, if the file contains both forms of the model. */
  readonly stage?: Stage | undefined;
  /**
   * Returns the engine for the static form, and opens it for the first request; undefined if the file
   * contains only one form.
   */
  readonly fast?: (() => Promise<ServingEngine>) | undefined;
  /**
   * The special token with which every tokenized text starts or ends; undefined if the tokenizer
   * adds no special tokens.
   */
  readonly boundary?: TokenBoundary | undefined;
  readonly limits: EngineLimits;
  run(request: EngineRequest): Promise<EngineAnswer>;
  /** Default side from which tokens are removed if a text is too long: the model's. */
  tokenize(
    texts: readonly string[],
    addSpecialTokens: boolean,
    side?: TruncationSide,
  ): Promise<TokenizedText[]>;
  decode(ids: readonly (readonly number[])[], skipSpecialTokens: boolean): Promise<string[]>;
  /** The token with an id as written in the vocabulary; null if there is none. */
  tokenOf(id: number): string | null;
  /** The id of a token as written in the vocabulary. */
  idOf(token: string): number | undefined;
  stats(): EngineStats;
  /** The device that runs the model; undefined if no GPU was requested. */
  readonly device?: (() => DeviceState) | undefined;
  /** Finishes accepted requests, then ends all threads. */
  close(): Promise<void>;
}

export interface CompletedBatch {
  readonly inputs: number;
  readonly tokens: number;
  readonly paddedTokens: number;
  readonly milliseconds: number;
  readonly device: 'cpu' | 'gpu';
}

/** Receives events about batches and requests from the engine, for metrics. */
export interface EngineObserver {
  onBatch(batch: CompletedBatch): void;
  onRequest(request: {
    inputs: number;
    tokens: number;
    truncated: number;
    cached?: number | undefined;
    timings: Timings;
  }): void;
  onWorkerDeath(reason: string): void;
  /** Called when the device has been chosen, and when it changes. */
  onDevice?(state: DeviceState): void;
  /** Called when no threads can run the model and none can be started. */
  onEnd?(): void;
}
