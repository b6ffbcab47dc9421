/**
 * The outputs of a sentence_embedding model. All except `dense` require additional graph outputs,
 * as in BAAI/bge-m3.
 */
export const EMBEDDING_OUTPUTS = ['dense', 'sparse', 'multi_vector'] as const;
export type EmbeddingOutput = (typeof EMBEDDING_OUTPUTS)[number];
/** Outputs with one row per token. */
export type TokenOutputName = Exclude<EmbeddingOutput, 'dense'>;

/** The manifest's settings for a graph that also returns a weight and a vector per token. */
export interface TokenOutputs {
  readonly sparse: {
    /** Name of the output. */
    readonly output: string;
    /** Ids of the special tokens, which have no weight. */
    readonly skipped: readonly number[];
  };
  readonly multiVector: {
    readonly output: string;
    /** Number of dimensions of a vector. */
    readonly width: number;
    /** Whether the output includes a row for the first token, which has no vector. */
    readonly hasFirst: boolean;
  };
}
