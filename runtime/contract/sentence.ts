/** How the vectors of a text's tokens become one. `none`: the model itself gives one vector per text. */
export const POOLINGS = ['mean', 'cls', 'max', 'last', 'none'] as const;
export type Pooling = (typeof POOLINGS)[number];

/** How one vector comes of a text: the manifest's part on sentence_embedding models. */
export interface SentenceSettings {
  readonly pooling: Pooling;
  /** Whether the tokens of a prompt count in pooling. */
  readonly includePrompt: boolean;
  readonly normalize: boolean;
  /** How many of a vector's first values are kept; absent where all are. */
  readonly dimensions?: number;
  /** By name, what can be put before a text. */
  readonly prompts: Readonly<Record<string, Prompt>>;
  /** The one that is put there where nobody names another. */
  readonly defaultPrompt?: string;
}

export interface Prompt {
  readonly text: string;
  /** Tokens up to its end, with those that the tokenizer puts before a text. */
  readonly tokens: number;
}
