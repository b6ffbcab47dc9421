/** `model_type` of models that are not `sentence_embedding`. Rerankers are text pair classifiers. */
export type ModelTask = keyof typeof BODIES;

/** The question for rerankers about each text. */
export const QUESTION = 'Where does Anna live, and how is the weather there?';

/** The labels for zero-shot classifiers. */
export const LABELS = ['weather', 'a place to live', 'animals', 'pets & "plants"'] as const;

/** The request with texts for a model. */
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
  /** Highest score first. */
  readonly labels?: readonly string[];
  readonly scores?: readonly number[];
}

/** The numbers in a result, as listed by reference.py. */
export function rowOf(result: Result): readonly number[] {
  const { embedding, logits, indices, values = [], vectors, labels, scores = [], tokens = [] } = result;
  if (indices) return dense(indices, values);
  if (labels) return LABELS.map((label) => scores[labels.indexOf(label)] ?? Number.NaN);
  return embedding ?? logits ?? vectors?.flat() ?? tokens.flatMap((token) => token.logits);
}

/** A sparse vector up to its last nonzero value. */
function dense(indices: readonly number[], values: readonly number[]): number[] {
  const row = Array.from({ length: (indices.at(-1) ?? -1) + 1 }, () => 0);
  for (const [at, index] of indices.entries()) row[index] = values[at] ?? Number.NaN;
  return row;
}
