import { isDeepStrictEqual } from 'node:util';
import type { Rows } from '../models/ask.ts';
import { bodyFor, LABELS, QUESTION, rowOf } from '../models/tasks.ts';
import type { NamedModel } from './shape.ts';
import { DATA_URL } from './texts.ts';

/** What the published library computes, with one row for each text. */
export interface Expected {
  readonly rows: Rows;
  /** Vectors with each prompt. */
  readonly prompts?: Readonly<Record<string, Rows>>;
  /** Vectors of the texts as queries, for models that encode queries in another way. */
  readonly queries?: Rows;
  /** Start, end and label of each entity, whose scores are in `rows`. */
  readonly entities?: readonly unknown[];
}

/** Sends a body to `/predict` of a served model and returns its results. */
export type Predict = (body: object) => Promise<readonly Result[]>;

type Result = Parameters<typeof rowOf>[0] & {
  readonly answers?: readonly { readonly score: number }[];
  readonly masks?: readonly { readonly candidates: readonly { readonly score: number }[] }[];
  readonly sparse?: { readonly values: readonly number[] };
  readonly embedding?: readonly number[];
  readonly objects?: readonly {
    readonly score: number;
    readonly box: Readonly<Record<'xmin' | 'ymin' | 'xmax' | 'ymax', number>>;
  }[];
  readonly segments?: readonly { readonly mask: { readonly counts: readonly number[] } }[];
  /** Of each token. */
  readonly embeddings?: readonly { readonly embedding: readonly number[] }[];
  readonly entities?: readonly { start: number; end: number; label: string; score: number }[];
};

/** Random models have low scores. */
export const ENTITY_THRESHOLD = 0.05;

/** Tasks whose numbers are logits, or probabilities of entities. Small logits are sums of large values, so that their relative error is large. */
const LOGITS = new Set(['pairs', 'causal', 'texts', 'tokens', 'gliner', 'image']);

/** Largest difference of a served model from its reference, relative to the largest value of the reference; for logits, only if that is above 1. */
export async function differenceOf(
  model: NamedModel,
  texts: readonly string[],
  expected: Expected,
  predict: Predict,
  mask: string,
): Promise<number> {
  const inputs = texts.map((text) => text.replace('[MASK]', mask));
  const compare = async (wanted: Rows, more: object = {}): Promise<number> => {
    const together = await predict({ ...bodyOf(model, inputs), ...more });
    const alone = [];
    for (const input of inputs) alone.push(...(await predict({ ...bodyOf(model, [input]), ...more })));
    const least = LOGITS.has(model.task) ? 1 : 0;
    const { entities } = expected;
    if (
      entities &&
      ![together, alone].every((results) => isDeepStrictEqual(results.map(entitiesOf), entities))
    )
      return Number.POSITIVE_INFINITY;
    return Math.max(
      ...[together, alone].map((results) => relativeDifference(results.map(numbersOf), wanted, least)),
    );
  };
  const differences = [await compare(expected.rows)];
  for (const [name, rows] of Object.entries(expected.prompts ?? {})) {
    differences.push(await compare(rows, { prompt_name: name }));
  }
  if (expected.queries) differences.push(await compare(expected.queries, { input_type: 'query' }));
  return Math.max(...differences);
}

function bodyOf({ task, made }: NamedModel, inputs: readonly string[]): object {
  switch (task) {
    case 'pairs':
    case 'causal':
      return bodyFor('reranker', inputs);
    case 'zero-shot':
      return bodyFor('zero_shot_classification', inputs);
    case 'vectors':
      return { inputs, normalize: false };
    case 'gliner':
      return { inputs, labels: LABELS, threshold: ENTITY_THRESHOLD };
    case 'multi-vector':
      return bodyFor('multi_vector', inputs);
    case 'answers':
      return { inputs: inputs.map((context) => ({ question: QUESTION, context })) };
    case 'm3':
      return { inputs, outputs: ['dense', 'sparse', 'multi_vector'] };
    case 'towers':
      return { inputs: inputs.map((input) => (input.startsWith(DATA_URL) ? { image: input } : input)) };
    case 'image':
      return made === 'detr' || made === 'yolos' ? { inputs, threshold: ENTITY_THRESHOLD } : { inputs };
    default:
      return { inputs };
  }
}

const entitiesOf = ({ entities = [] }: Result): unknown[] =>
  entities.map(({ start, end, label }) => [start, end, label]);

function numbersOf(result: Result): readonly number[] {
  const {
    answers,
    masks,
    sparse,
    embeddings,
    entities,
    objects,
    segments,
    vectors = [],
    embedding = [],
  } = result;
  if (embeddings) return embeddings.flatMap((token) => token.embedding);
  if (segments) return segments.flatMap(({ mask }) => mask.counts);
  if (objects) return objects.flatMap(numbersOfObject);
  if (entities) return entities.map(({ score }) => score);
  if (answers) return answers.map(({ score }) => score);
  if (masks) return masks.flatMap(({ candidates }) => candidates.map(({ score }) => score));
  return sparse ? [...embedding, ...sparse.values, ...vectors.flat()] : rowOf(result);
}

/** Boxes are in thousands of pixels, as in image_models.py. */
const numbersOfObject = ({
  score,
  box: { xmin, ymin, xmax, ymax },
}: NonNullable<Result['objects']>[number]): number[] => [
  score,
  ...[xmin, ymin, xmax, ymax].map((side) => side / 1000),
];

/** Infinity if a row has another number of values, or a value is not a number. */
function relativeDifference(actual: Rows, expected: Rows, least: number): number {
  if (actual.length !== expected.length) return Number.POSITIVE_INFINITY;
  let [difference, largest] = [0, least];
  for (const [at, row] of expected.entries()) {
    const other = actual[at] ?? [];
    if (other.length !== row.length) return Number.POSITIVE_INFINITY;
    for (const [column, value] of row.entries()) {
      const one = Math.abs(value - (other[column] ?? Number.NaN));
      if (!Number.isFinite(one)) return Number.POSITIVE_INFINITY;
      difference = Math.max(difference, one);
      largest = Math.max(largest, Math.abs(value));
    }
  }
  return largest === 0 ? Number.POSITIVE_INFINITY : difference / largest;
}
