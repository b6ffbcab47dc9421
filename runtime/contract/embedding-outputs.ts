/** What a sentence_embedding model can return for a text. Those after `dense` need further outputs of its graph, as BAAI/bge-m3 has. */
export const EMBEDDING_OUTPUTS = ['dense', 'sparse', 'multi_vector'] as const;
export type EmbeddingOutput = (typeof EMBEDDING_OUTPUTS)[number];
/** Those with a row for each token. */
export type TokenOutputName = Exclude<EmbeddingOutput, 'dense'>;

/** The manifest's settings of a graph that also returns a weight and a vector for each token. */
export interface TokenOutputs {
  readonly sparse: {
    /** Name of the output. */
    readonly output: string;
    /** Ids of the tokens that have no weight: special tokens. */
    readonly skipped: readonly number[];
  };
  readonly multiVector: {
    readonly output: string;
    /** Number of dimensions of a vector. */
    readonly width: number;
    /** Whether the output has a row for the first token, which has no vector. */
    readonly hasFirst: boolean;
  };
}
