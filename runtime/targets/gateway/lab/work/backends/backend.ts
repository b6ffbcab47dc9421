import type { ModelType } from '../../../../../contract/model-types.ts';
import type { LabelScores } from '../../../ask/providers/provider.ts';
import type { Backend, GenerationConfig, WorkTools } from '../work.ts';
import type { Pacing } from '../pacing.ts';

/** What a model says of several texts, in their order. */
export interface ManyAnswers<Value> {
  readonly values: readonly Value[];
  /** How many tokens it ran on, if it told. */
  readonly tokens: number;
}

/** Throws an AppError if there is no answer; a MalformedError or TooLargeError may be about one of the texts only. */
export type AskMany<Value> = (texts: readonly string[], signal: AbortSignal) => Promise<ManyAnswers<Value>>;

/** A piece of a text, in Unicode code points. */
export interface LabelledPiece {
  readonly start: number;
  readonly end: number;
  readonly label: string;
}

export interface TaggedText {
  readonly tokens: readonly LabelledPiece[];
  readonly spans: readonly (LabelledPiece & { readonly score: number })[];
}

interface ChatMessage {
  readonly role: 'system' | 'user';
  readonly content: string;
}

export interface ChatReply {
  readonly text: string;
  /** What it thought aloud, if it did. */
  readonly reasoning: string | null;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
}

/** A backend that can be asked. Which questions it takes depends on what it is. */
export interface Model {
  /** As sentences call it. */
  readonly name: string;
  /** Of an encoder, if it tells. */
  readonly modelType: ModelType | undefined;
  /** All that it knows, if it tells. */
  readonly labels: readonly string[] | undefined;
  readonly classify?: AskMany<LabelScores>;
  readonly tag?: AskMany<TaggedText>;
  /** One vector per text. */
  readonly embed?: AskMany<readonly number[]>;
  /** One vector per token of a text. */
  readonly tokenVectors?: AskMany<readonly (readonly number[])[]>;
  readonly chat?: (
    messages: readonly ChatMessage[],
    generation: GenerationConfig,
    signal: AbortSignal,
  ) => Promise<ChatReply>;
  readonly close: () => Promise<void>;
}

export interface OpenBackendOptions {
  readonly pacing: Pacing;
  /** Requests at once, to a model that takes one row a request. */
  readonly connections: number;
  /** Aborted when it is not wanted any more before it is open; two minutes are the most if there is none. */
  readonly signal?: AbortSignal | undefined;
}

export type OpenOptions = OpenBackendOptions & { readonly signal: AbortSignal };

export type OpenBackend<Kind extends Backend['kind']> = (
  backend: Extract<Backend, { readonly kind: Kind }>,
  tools: WorkTools,
  options: OpenOptions,
) => Promise<Model>;
