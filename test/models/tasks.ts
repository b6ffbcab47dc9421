/** `model_type` of models that are not `sentence_embedding`. Rerankers are classifiers of pairs. */
export type ModelTask = keyof typeof BODIES;

/** What rerankers are asked about each text. */
export const QUESTION = 'Where does Anna live, and how is the weather there?';

/** What zero-shot classifiers choose from. */
export const LABELS = ['weather', 'a place to live', 'animals', 'pets & "plants"'] as const;

/** The request for texts of a model. */
export function bodyFor(task: ModelTask | undefined, texts: readonly string[]): object {
  return task === undefined ? { inputs: texts } : BODIES[task](texts);
}

const plain = (inputs: readonly string[]) => ({ inputs });

const BODIES = {
  token_classification: plain,
  sequence_classification: plain,
  reranker: (texts: readonly string[]) => ({ inputs: texts.map((text) => [QUESTION, text]) }),
  sparse_embedding: plain,
  zero_shot_classification: (inputs: readonly string[]) => ({ inputs, candidate_labels: LABELS }),
  multi_vector: (inputs: readonly string[]) => ({ inputs, input_type: 'document' }),
};

interface Result {
  readonly embedding?: readonly number[];
  readonly logits?: readonly number[];
  /** Of a sparse vector. */
  readonly indices?: readonly number[];
  readonly values?: readonly number[];
  readonly tokens?: readonly { readonly logits: readonly number[] }[];
  readonly vectors?: readonly (readonly number[])[];
  /** The highest score first. */
  readonly labels?: readonly string[];
  readonly scores?: readonly number[];
}

/** The numbers of a result, as reference.py lists them. */
export function rowOf(result: Result): readonly number[] {
  const { embedding, logits, indices, values = [], vectors, labels, scores = [], tokens = [] } = result;
  if (indices) return dense(indices, values);
  if (labels) return LABELS.map((label) => scores[labels.indexOf(label)] ?? Number.NaN);
  return embedding ?? logits ?? vectors?.flat() ?? tokens.flatMap((token) => token.logits);
}

/** A sparse vector up to its last value that is not zero. */
function dense(indices: readonly number[], values: readonly number[]): number[] {
  const row = Array.from({ length: (indices.at(-1) ?? -1) + 1 }, () => 0);
  for (const [at, index] of indices.entries()) row[index] = values[at] ?? Number.NaN;
  return row;
}
