/**
 * How a reranker that is a generative model reads a query and a document. Templates contain
 * `{query}`, `{document}` and `{instruction}`. The parts of the prompt that are the same for all
 * pairs are added by the tokenizer.
 */
export interface PairPrompt {
  /** Template of the text; of the first text if there is a second template. */
  readonly first: string;
  /** The template that replaces `first` in requests with an instruction. */
  readonly instructed?: string;
  /** Template of the second text; undefined if the model reads the query and the document as one text. */
  readonly second?: string;
}
