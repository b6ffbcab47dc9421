import type { ModelType } from '#contract/model-types.ts';
import type { LabelScores } from '../../../providers/adapters/provider.ts';
import type { Backend, GenerationConfig, KeptAnswer, WorkTools } from '../work.ts';
import type { Pacing } from '../pacing.ts';

/** Results of a model for several texts, in the same order. */
export interface BatchAnswers<Value> {
  readonly values: readonly Value[];
  /** Number of input tokens; 0 if the model did not report it. */
  readonly tokens: number;
}

/** Calls a model with several texts. Throws an AppError; a MalformedError or TooLargeError can be caused by a single text. */
export type BatchCall<Value> = (
  texts: readonly string[],
  signal: AbortSignal,
) => Promise<BatchAnswers<Value>>;

/** A labeled part of a text. Positions are Unicode code points. */
export interface LabeledPiece {
  readonly start: number;
  readonly end: number;
  readonly label: string;
}

export interface TaggedText {
  readonly tokens: readonly LabeledPiece[];
  readonly spans: readonly (LabeledPiece & { readonly score: number })[];
}

export interface BackendMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

export interface ChatReply extends KeptAnswer {
  /** Whether the answer was given to an earlier request, so that this one cost nothing. */
  readonly isShared: boolean;
}

/** Calls a language model. Only an answer that is usable can be shared with later requests. Default: every answer is usable. */
export type Chat = (
  messages: readonly BackendMessage[],
  generation: GenerationConfig,
  signal: AbortSignal,
  isUsable?: (reply: ChatReply) => boolean,
) => Promise<ChatReply>;

/** An open backend. Which calls it supports depends on its type. */
export interface BackendModel {
  /** Name for messages. */
  readonly name: string;
  /** Type of an encoder; undefined for other backends and for encoders behind the gateway. */
  readonly modelType: ModelType | undefined;
  /** Labels of the model, if it reports them. */
  readonly labels: readonly string[] | undefined;
  readonly classify?: BatchCall<LabelScores>;
  readonly tag?: BatchCall<TaggedText>;
  /** One vector per text. */
  readonly embed?: BatchCall<readonly number[]>;
  /** One vector per token of a text. */
  readonly tokenVectors?: BatchCall<readonly (readonly number[])[]>;
  readonly chat?: Chat;
  readonly close: () => Promise<void>;
}

export interface OpenBackendOptions {
  readonly pacing: Pacing;
  /** Maximum concurrent requests to a language model. */
  readonly maxConcurrency: number;
  /** Aborts the opening. Default: a time limit of two minutes. */
  readonly signal?: AbortSignal | undefined;
}

export type OpenModelOptions = OpenBackendOptions & { readonly signal: AbortSignal };

export type OpenBackend<Kind extends Backend['kind']> = (
  backend: Extract<Backend, { readonly kind: Kind }>,
  tools: WorkTools,
  options: OpenModelOptions,
) => Promise<BackendModel>;
