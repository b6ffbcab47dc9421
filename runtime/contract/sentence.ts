import type { TokenTableSettings } from './token-table.ts';

/**
 * How the token vectors of a text are pooled to one vector. With `none`, the model itself returns
 * one vector per text.
 */
export const POOLINGS = [
  'mean',
  'cls',
  'max',
  'last',
  'none',
  'mean_sqrt_len_tokens',
  'weightedmean',
] as const;
export type Pooling = (typeof POOLINGS)[number];

/**
 * Functions that compare two vectors. Distances are negated, so that a greater number always means
 * more similar.
 */
export const SIMILARITIES = ['cosine', 'dot', 'euclidean', 'manhattan'] as const;
export type Similarity = (typeof SIMILARITIES)[number];

/** Activation functions, which a dense layer applies to each value in its result. */
export type Activation = 'identity' | 'tanh' | 'relu' | 'sigmoid';

/**
 * A module between pooling and the final normalization. Its weights, if it has any, are in the
 * section `layers`.
 */
export type LayerSettings =
  | {
      /** Multiplies the vector by a matrix of `outputs` rows, and adds a bias. */
      readonly kind: 'dense';
      readonly inputs: number;
      readonly outputs: number;
      readonly bias: boolean;
      readonly activation: Activation;
    }
  | { readonly kind: 'layer_norm'; readonly width: number }
  | { readonly kind: 'normalize' };

/** The manifest's settings for sentence_embedding models, which return one vector per text. */
export interface SentenceSettings {
  /** The table of a static model, which has no graph. */
  readonly table?: TokenTableSettings;
  /** With a list, the vectors of several modes are concatenated in this order. */
  readonly pooling: Pooling | readonly Pooling[];
  /** Whether pooling includes the tokens of a prompt. */
  readonly includePrompt: boolean;
  /** Modules after pooling, in order; undefined if there are none. */
  readonly layers?: readonly LayerSettings[];
  readonly normalize: boolean;
  /** Number of leading dimensions to keep; undefined means all. */
  readonly dimensions?: number;
  /** How vectors are compared. Undefined means cosine. */
  readonly similarity?: Similarity;
  /** Prompts by name; a prompt is prepended to each text. */
  readonly prompts: Readonly<Record<string, NamedPrompt>>;
  /** Name of the prompt for requests that do not set one. */
  readonly defaultPrompt?: string;
}

export interface NamedPrompt {
  readonly text: string;
  /** Index of the model's adapter for texts with this prompt; undefined if the model has no adapters. */
  readonly adapter?: number;
  /** Number of tokens up to the end of the prompt, including tokens that the tokenizer puts before a text. */
  readonly tokens: number;
}
