import { itemAt } from '#core/values/item-at.ts';

/** Pairs of texts with a similarity that people have judged. */
export interface SimilarityData {
  readonly name: string;
  readonly pairs: readonly (readonly [first: string, second: string, similarity: number])[];
}

export interface Definition {
  readonly words: readonly string[];
  /** One of WordNet's 26 topics of nouns, such as 05 for animals. */
  readonly topic: string;
  readonly text: string;
}

export interface QualityData {
  readonly similarity: readonly SimilarityData[];
  /** Definitions to learn topics from, and others to classify. Searches are for a word among both. */
  readonly train: readonly Definition[];
  readonly test: readonly Definition[];
  readonly queries: readonly string[];
}

export type Vectors = ReadonlyMap<string, readonly number[]>;

export interface Quality {
  /** Spearman correlation of cosine similarities with the judgments, by data set. */
  readonly similarity: readonly number[];
  /** Mean nDCG of the ten best definitions of a word. */
  readonly retrieval: number;
  /** Share of definitions that get their own topic. */
  readonly classification: number;
}

/** All measures of one form of a model, from the vectors of all texts. */
export function qualityOf(data: QualityData, vectors: Vectors, queryPrefix: string): Quality {
  const corpus = [...data.train, ...data.test];
  return {
    similarity: data.similarity.map((one) => similarityOf(one, vectors)),
    retrieval: retrievalOf(data.queries, corpus, vectors, queryPrefix),
    classification: classificationOf(data, vectors),
  };
}

/** Every text that a measure needs a vector for. */
export const textsOf = (data: QualityData, queryPrefix: string): string[] => [
  ...new Set([
    ...data.similarity.flatMap(({ pairs }) => pairs.flatMap(([first, second]) => [first, second])),
    ...[...data.train, ...data.test].map(({ text }) => text),
    ...data.queries.map((query) => `${queryPrefix}${query}`),
  ]),
];

const vectorOf = (vectors: Vectors, text: string): readonly number[] => {
  const vector = vectors.get(text);
  if (!vector) throw new Error(`no vector for ${JSON.stringify(text)}`);
  return vector;
};

/** Vectors are normalized. */
const dot = (one: readonly number[], other: readonly number[]): number =>
  one.reduce((sum, value, at) => sum + value * itemAt(other, at), 0);

const similarityOf = ({ pairs }: SimilarityData, vectors: Vectors): number =>
  spearman(
    pairs.map(([first, second]) => dot(vectorOf(vectors, first), vectorOf(vectors, second))),
    pairs.map(([, , similarity]) => similarity),
  );

/** Pearson correlation of ranks; equal values share their mean rank. */
export function spearman(one: readonly number[], other: readonly number[]): number {
  const [left, right] = [ranks(one), ranks(other)];
  const mean = (left.length + 1) / 2;
  const sum = (score: (at: number) => number): number => left.reduce((total, _, at) => total + score(at), 0);
  const from = (list: readonly number[], at: number): number => itemAt(list, at) - mean;
  const both = sum((at) => from(left, at) * from(right, at));
  return both / Math.sqrt(sum((at) => from(left, at) ** 2) * sum((at) => from(right, at) ** 2));
}

function ranks(values: readonly number[]): number[] {
  const order = values.map((_, at) => at).sort((one, other) => itemAt(values, one) - itemAt(values, other));
  const result = Array.from({ length: values.length }, () => 0);
  for (let start = 0; start < order.length;) {
    let end = start;
    while (end < order.length && values[itemAt(order, end)] === values[itemAt(order, start)]) end += 1;
    for (let at = start; at < end; at += 1) result[itemAt(order, at)] = (start + 1 + end) / 2;
    start = end;
  }
  return result;
}

const CUT = 10;

/** A definition is relevant if it defines the word. */
function retrievalOf(
  queries: readonly string[],
  corpus: readonly Definition[],
  vectors: Vectors,
  queryPrefix: string,
): number {
  const gains = queries.map((query) => {
    const vector = vectorOf(vectors, `${queryPrefix}${query}`);
    const found = corpus
      .map(({ text, words }) => ({
        score: dot(vector, vectorOf(vectors, text)),
        isRelevant: words.includes(query),
      }))
      .sort((one, other) => other.score - one.score);
    return ndcg(found.map(({ isRelevant }) => isRelevant));
  });
  return gains.reduce((sum, gain) => sum + gain, 0) / gains.length;
}

/** Normalized discounted cumulative gain of the first ten results. */
export function ndcg(relevant: readonly boolean[]): number {
  const gain = (list: readonly boolean[]): number =>
    list.slice(0, CUT).reduce((sum, isRelevant, at) => sum + (isRelevant ? 1 / Math.log2(at + 2) : 0), 0);
  const best = gain(relevant.toSorted((one, other) => Number(other) - Number(one)));
  return best === 0 ? 0 : gain(relevant) / best;
}

const NEIGHBORS = 10;

/** The topic of most of the ten nearest definitions; each neighbor counts by its similarity. */
function classificationOf({ train, test }: QualityData, vectors: Vectors): number {
  const right = test.filter(({ text, topic }) => {
    const vector = vectorOf(vectors, text);
    const nearest = train
      .map((one) => ({ topic: one.topic, score: dot(vector, vectorOf(vectors, one.text)) }))
      .sort((one, other) => other.score - one.score)
      .slice(0, NEIGHBORS);
    const votes = new Map<string, number>();
    for (const { topic: name, score } of nearest) votes.set(name, (votes.get(name) ?? 0) + score);
    const [best] = [...votes].sort(([, one], [, other]) => other - one);
    return best?.[0] === topic;
  });
  return right.length / test.length;
}
