interface TeiRerank {
  readonly texts?: readonly string[];
  readonly top_n?: number | null;
  readonly return_text?: boolean | null;
}

/** Members that only clients of text-embeddings-inference send. */
const OWN = ['return_text', 'truncate', 'truncation_direction'];
const SHARED = new Set(['query', 'texts', 'raw_scores']);

/**
 * Whether a body of `/rerank` is one of text-embeddings-inference: it has `texts`, and either a member that only that API has,
 * or no member that it does not have.
 */
export function isTeiRerank(body: TeiRerank): boolean {
  if (body.texts === undefined) return false;
  return OWN.some((name) => name in body) || Object.keys(body).every((name) => SHARED.has(name));
}

/** The ranking in the shape of text-embeddings-inference. */
export const teiRanks = (
  ranked: readonly { readonly index: number; readonly score: number }[],
  { texts = [], top_n, return_text: withText }: TeiRerank,
): object[] =>
  ranked
    .slice(0, top_n ?? undefined)
    .map(({ index, score }) => ({ index, ...(withText ? { text: texts[index] } : {}), score }));
