/** How token vectors are pooled into one. With `none`, the model itself returns one vector per text. */
export const POOLINGS = ['mean', 'cls', 'max', 'last', 'none'] as const;
export type Pooling = (typeof POOLINGS)[number];

/** How texts are turned into single vectors: the manifest's settings for sentence_embedding models. */
export interface SentenceSettings {
  readonly pooling: Pooling;
  /** Whether the tokens of a prompt are included in pooling. */
  readonly includePrompt: boolean;
  readonly normalize: boolean;
  /** Number of leading dimensions to keep; undefined keeps all. */
  readonly dimensions?: number;
  /** Prompts by name; a prompt is put before each text. */
  readonly prompts: Readonly<Record<string, Prompt>>;
  /** Name of the prompt for requests that do not set one. */
  readonly defaultPrompt?: string;
}

export interface Prompt {
  readonly text: string;
  /** Number of tokens up to its end, including tokens that the tokenizer puts before a text. */
  readonly tokens: number;
}
