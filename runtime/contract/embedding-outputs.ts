/**
 * The kinds of outputs that a sentence_embedding model can return. All except `dense` require
 * additional graph outputs, as in BAAI/bge-m3.
 */
export const EMBEDDING_OUTPUTS = ['dense', 'sparse', 'multi_vector'] as const;
export type EmbeddingOutput = (typeof EMBEDDING_OUTPUTS)[number];
/** Outputs with one row per token. */
export type TokenOutputName = Exclude<EmbeddingOutput, 'dense'>;

/** The manifest's settings for a graph that also returns a weight and a vector for each token. */
export interface TokenOutputs {
  readonly sparse: {
    /** Name of the graph output. */
    readonly output: string;
    /** Ids of the special tokens, whose weights are not part of results. */
    readonly skipped: readonly number[];
  };
  readonly multiVector: {
    readonly output: string;
    /** Number of dimensions of a vector. */
    readonly width: number;
    /** Whether the graph output has a row for the first token, which is not part of results. */
    readonly hasFirst: boolean;
  };
}
