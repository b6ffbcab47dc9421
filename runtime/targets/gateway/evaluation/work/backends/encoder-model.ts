import { AppError } from '#contract/errors.ts';
import { MODEL_TYPE_NAMES, type ModelType } from '#contract/model-types.ts';
import { keysOf } from '#core/values/keys.ts';
import { withArticle } from '#core/text/with-article.ts';
import { isObject } from '#core/json/is-object.ts';
import { membersOf } from '#core/json/members-of.ts';
import { memberOf } from '#core/values/member-of.ts';
import type { LabelScores } from '../../../providers/adapters/provider.ts';
import type {
  BatchCall,
  LabeledPiece,
  BatchAnswers,
  BackendModel,
  DetectedObject,
  EncoderCall,
  TaggedText,
} from './backend.ts';
import type { BackendResponse, BackendConnection } from './connect.ts';

/** More labels than any classifier has, so that all of them are returned. */
const ALL_LABELS = 10_000;
/**
 * Maximum number of objects per image. The precision depends on objects with low scores as well, so there is
 * no minimum score.
 */
const MAX_OBJECTS = 300;
/** Maximum number of texts per request for token vectors, whose responses are large. */
const MAX_TOKEN_TEXTS = 4;

/** A running executable. Its model type determines which calls it supports. */
export async function encoderModel(
  name: string,
  connection: BackendConnection,
  signal: AbortSignal,
): Promise<BackendModel> {
  const { json } = await connection.request({ path: '/model' }, signal);
  const table = callsFor(name, connection);
  const modelType = MODEL_TYPE_NAMES.find((type) => type === json['model_type']);
  if (modelType === undefined) throw noEncoder(name);
  const id2label = json['id2label'];
  const labels = isObject(id2label) ? Object.values(id2label).map(String) : undefined;
  const calls = table[modelType];
  if (!calls) {
    throw new AppError(
      'InputError',
      `${name} is ${withArticle(modelType)} model, which workflows cannot use. Use a model of type ${keysOf(table).join(', ')}.`,
    );
  }
  return { name, modelType, labels, ...calls, close: connection.close };
}

const noEncoder = (name: string): AppError =>
  new AppError(
    'InputError',
    `${name} does not report its model type. Use the URL of a running .encoder executable.`,
  );

type ModelCalls = Pick<BackendModel, EncoderCall | 'tokenVectors'>;

function callsFor(name: string, connection: BackendConnection): Partial<Record<ModelType, ModelCalls>> {
  const predict =
    <Value>(options: object, read: (result: Result) => Value | undefined): BatchCall<Value> =>
    async (inputs, signal) => {
      const answer = await connection.request({ path: '/predict', body: { inputs, ...options } }, signal);
      return { values: readAll(name, answer, 'results', inputs.length, read), tokens: tokensOf(answer) };
    };
  const embed: BatchCall<readonly number[]> = async (input, signal) => {
    const answer = await connection.request({ path: '/v1/embeddings', body: { input } }, signal);
    return { values: readAll(name, answer, 'data', input.length, vectorIn), tokens: tokensOf(answer) };
  };
  const vectorsOfTokens = predict({ normalize: false }, tokenVectorsIn);
  return {
    sequence_classification: { classify: predict({ top_k: ALL_LABELS }, scoresIn) },
    // No task sends labels or questions in its requests.
    zero_shot_classification: {},
    question_answering: {},
    token_classification: { tag: predict({ aggregation: 'simple' }, taggedIn) },
    /** No task can send labels, so every task rejects this type. */
    zero_shot_ner: {},
    embedding: { embed, tokenVectors: inParts(vectorsOfTokens, MAX_TOKEN_TEXTS) },
    sentence_embedding: { embed },
    multi_vector: {},
    image_classification: { classify: predict({ top_k: ALL_LABELS }, scoresIn) },
    image_embedding: { embed },
    object_detection: { detect: predict({ threshold: 0, top_k: MAX_OBJECTS }, objectsIn) },
  };
}

function inParts<Value>(call: BatchCall<Value>, size: number): BatchCall<Value> {
  return async (texts, signal) => {
    const parts: BatchAnswers<Value>[] = [];
    for (let from = 0; from < texts.length; from += size)
      parts.push(await call(texts.slice(from, from + size), signal));
    return {
      values: parts.flatMap(({ values }) => values),
      tokens: parts.reduce((sum, { tokens }) => sum + tokens, 0),
    };
  };
}

type Result = Readonly<Record<string, unknown>>;

export function readAll<Value>(
  name: string,
  { json }: BackendResponse,
  list: string,
  length: number,
  read: (result: Result) => Value | undefined,
): readonly Value[] {
  const found = json[list];
  if (Array.isArray(found) && found.length === length) {
    const values = found.map((result: unknown) => (isObject(result) ? read(result) : undefined));
    if (values.every((value) => value !== undefined)) return values;
  }
  throw new AppError('UpstreamError', `${name} returned an invalid response.`, {
    reason: 'unreadable_answer',
  });
}

function tokensOf({ headers }: BackendResponse): number {
  const tokens = Number(headers['x-compute-tokens']);
  return Number.isSafeInteger(tokens) ? tokens : 0;
}

function scoresIn({ top }: Result): LabelScores | undefined {
  if (!Array.isArray(top) || top.length === 0) return undefined;
  const labels: readonly { readonly label: string; readonly score: number }[] = top;
  return Object.fromEntries(labels.map(({ label, score }) => [label, score]));
}

function taggedIn({ tokens, entities }: Result): TaggedText | undefined {
  if (!Array.isArray(tokens) || !Array.isArray(entities)) return undefined;
  const pieces: readonly (LabeledPiece & { readonly token_info: LabeledPiece })[] = tokens;
  const groups: readonly (LabeledPiece & { entity_group: string; score: number })[] = entities;
  return {
    tokens: pieces.map(({ label, token_info: { start, end } }) => ({ start, end, label })),
    spans: groups.map(({ start, end, entity_group: label, score }) => ({ start, end, label, score })),
  };
}

function objectsIn({ objects }: Result): readonly DetectedObject[] | undefined {
  if (!Array.isArray(objects)) return undefined;
  const found = objects.slice(0, MAX_OBJECTS).map(objectIn);
  return found.every((one) => one !== undefined) ? found : undefined;
}

function objectIn(one: unknown): DetectedObject | undefined {
  const { label, score } = membersOf(one);
  const { xmin, ymin, xmax, ymax } = membersOf(memberOf(one, 'box'));
  const isComplete =
    typeof label === 'string' &&
    isNumber(score) &&
    isNumber(xmin) &&
    isNumber(ymin) &&
    isNumber(xmax) &&
    isNumber(ymax);
  return isComplete ? { label, score, box: { xmin, ymin, xmax, ymax } } : undefined;
}

const isNumber = (value: unknown): value is number => typeof value === 'number';

export function vectorIn({ embedding }: Result): readonly number[] | undefined {
  return Array.isArray(embedding) ? embedding : undefined;
}

function tokenVectorsIn({ embeddings }: Result): readonly (readonly number[])[] | undefined {
  if (!Array.isArray(embeddings)) return undefined;
  const vectors = embeddings.map((token: unknown) => (isObject(token) ? vectorIn(token) : undefined));
  return vectors.every((vector) => vector !== undefined) ? vectors : undefined;
}
