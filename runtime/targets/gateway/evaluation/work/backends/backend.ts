import type { Json } from '../../../providers/shapes/chat.ts';
import type { ModelType } from '#contract/model-types.ts';
import type { LabelScores } from '../../../providers/adapters/provider.ts';
import type { Backend, GenerationConfig, KeptAnswer, WorkTools } from '../work.ts';
import type { ToolCall } from '../../../providers/shapes/chat.ts';
import type { Pacing } from '../pacing.ts';

/** A model's results for several texts or images, in the same order. */
export interface BatchAnswers<Value> {
  readonly values: readonly Value[];
  /** Number of input tokens; 0 if the model did not report it. */
  readonly tokens: number;
}

/**
 * Calls a model with several texts, or images as strings. Throws an AppError; a MalformedError or TooLargeError can be caused by a
 * single text.
 */
export type BatchCall<Value> = (
  texts: readonly string[],
  signal: AbortSignal,
) => Promise<BatchAnswers<Value>>;

/** A labeled part of a text. Positions count Unicode code points. */
export interface LabeledPiece {
  readonly start: number;
  readonly end: number;
  readonly label: string;
}

export interface TaggedText {
  readonly tokens: readonly LabeledPiece[];
  readonly spans: readonly (LabeledPiece & { readonly score: number })[];
}

/** An object in an image, with the corners of its box in pixels. */
export interface DetectedObject {
  readonly label: string;
  readonly score: number;
  readonly box: {
    readonly xmin: number;
    readonly ymin: number;
    readonly xmax: number;
    readonly ymax: number;
  };
}

export interface BackendMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  /** Null for an assistant message that only contains tool calls. */
  readonly content: string | null;
  readonly tool_calls?: readonly ToolCall[];
  /** The call that a tool message has the result of. */
  readonly tool_call_id?: string;
}

export interface ChatReply extends KeptAnswer {
  /** Whether the response was cached from an earlier request, so that this one cost nothing. */
  readonly isShared: boolean;
}

/**
 * Calls a language model. Only usable responses can be shared with later requests. Default: every response is
 * usable.
 */
export type Chat = (
  messages: readonly (BackendMessage | Json)[],
  generation: GenerationConfig,
  signal: AbortSignal,
  isUsable?: (reply: ChatReply) => boolean,
) => Promise<ChatReply>;

/** What encoders can be called for. */
export type EncoderCall = 'classify' | 'tag' | 'embed' | 'detect';

/** An open backend. Its type determines which calls it supports. */
export interface BackendModel {
  /** Name for messages. */
  readonly name: string;
  /** Encoder type; undefined for other backends and for encoders behind the gateway. */
  readonly modelType: ModelType | undefined;
  /** The model's labels, if it reports them. */
  readonly labels: readonly string[] | undefined;
  readonly classify?: BatchCall<LabelScores>;
  readonly tag?: BatchCall<TaggedText>;
  /** The objects in each image. */
  readonly detect?: BatchCall<readonly DetectedObject[]>;
  /** One vector per text or image. */
  readonly embed?: BatchCall<readonly number[]>;
  /** One vector per token in a text. */
  readonly tokenVectors?: BatchCall<readonly (readonly number[])[]>;
  readonly chat?: Chat;
  readonly close: () => Promise<void>;
}

export interface OpenBackendOptions {
  readonly pacing: Pacing;
  /** Maximum number of concurrent requests to a language model. */
  readonly maxConcurrency: number;
  /** Aborts opening the backend. Default: a timeout of two minutes. */
  readonly signal?: AbortSignal | undefined;
}

export type OpenModelOptions = OpenBackendOptions & { readonly signal: AbortSignal };

export type OpenBackend<Kind extends Backend['kind']> = (
  backend: Extract<Backend, { readonly kind: Kind }>,
  tools: WorkTools,
  options: OpenModelOptions,
) => Promise<BackendModel>;
