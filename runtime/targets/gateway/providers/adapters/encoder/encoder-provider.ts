import type {
  EmbeddingsExchange,
  ProviderAdapter,
  ErrorText,
  Provider,
  ProviderLimits,
  ClassifiedAnswer,
  FailedAnswer,
  EntitiesAnswer,
  FoundEntity,
} from '../provider.ts';
import type { Upstream } from '../upstream.ts';
import { openAiEmbeddings, openAiAdapterModels, openAiErrorText } from '../openai/adapter.ts';
import type { Clock } from '#platform/clock.ts';
import { createExchange, type Exchange, type JsonAnswer, isFailed } from '../exchange.ts';
import { createProvider } from '../create-provider.ts';
import { createRedact } from '../redact.ts';
import { isClassifier, MODEL_TYPE_NAMES, type ModelType } from '#contract/model-types.ts';
import { failure } from '../failure.ts';
import type { Json } from '../../shapes/chat.ts';
import type { AnswerSummary } from '../../streams/stream.ts';
import { isObject } from '#core/json/is-object.ts';

/** Encoder executables provide OpenAI's embeddings API. */
const encoderEmbeddings: EmbeddingsExchange = { ...openAiEmbeddings, path: () => '/v1/embeddings' };

const encoderModels: ProviderAdapter['models'] = { ...openAiAdapterModels, path: '/v1/models' };

/** Routes under `/v1` return errors in OpenAI's format. Other routes return the message as plain text. */
const encoderErrorText = (body: unknown): ErrorText =>
  typeof body === 'string' && body !== '' ? { message: body, code: undefined } : openAiErrorText(body);

/** An `.encoder` executable. Its model embeds or classifies texts or images but does not generate text. */
export const encoderAdapter: ProviderAdapter = {
  type: 'encoder',
  headers: (apiKey) => (apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
  native: {},
  translated: undefined,
  embeddings: encoderEmbeddings,
  relays: { rerank: { path: () => '/v1/rerank', requiredList: 'results' } },
  models: encoderModels,
  errorText: encoderErrorText,
};

interface EncoderParts {
  readonly name: string;
  readonly apiKey: string | undefined;
  /** Path of the executable; undefined if the encoder runs elsewhere. */
  readonly program?: string | undefined;
  readonly upstream: Upstream;
  readonly limits: ProviderLimits;
  readonly clock: Clock;
}

/**
 * Timeout for reading the model type. It is short, because a list of all models must not wait for an
 * encoder that is starting.
 */
const TYPE_MS = 2000;

/** An executable as a provider. It has one model, which clients address by the encoder's name in the configuration. */
export function createEncoderProvider({
  name,
  apiKey,
  program,
  upstream,
  limits,
  clock,
}: EncoderParts): Provider {
  const adapter = encoderAdapter;
  const exchange = createExchange({ upstream, adapter, limits, clock, redact: createRedact([apiKey]) });
  const instance = { name, apiKey };
  return {
    ...createProvider({ instance, adapter, upstream, limits, clock }),
    program,
    classify: createClassify(exchange, name, limits.answerMs),
    entities: createEntityFinder(exchange, name, limits.answerMs),
    async models(signal) {
      const modelType = await modelTypeOf(exchange, signal, TYPE_MS);
      return [{ id: name, created: 0, ownedBy: name, modelType }];
    },
  };
}

/** The type of an executable's model; undefined while the executable is unavailable. */
async function modelTypeOf(
  exchange: Pick<Exchange, 'json'>,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<ModelType | undefined> {
  const request = { method: 'GET', path: '/model' } as const;
  const model = await exchange.json(request, { signal, timeoutMs }, ({ json }) => ({
    type: json['model_type'],
  }));
  return isFailed(model) ? undefined : MODEL_TYPE_NAMES.find((type) => type === model.type);
}

/** A number larger than the number of labels of any classifier, so that all labels are returned. */
const ALL_LABELS = 10_000;

interface Prediction extends Json {
  readonly top?: readonly { readonly label: string; readonly score: number }[];
}

/** Classifies texts or images. */
function createClassify(
  exchange: Exchange,
  name: string,
  timeoutMs: number,
): NonNullable<Provider['classify']> {
  return async ({ texts, trace, signal, isBilled }) => {
    const body = Buffer.from(JSON.stringify({ inputs: texts, top_k: ALL_LABELS }));
    const request = { method: 'POST', path: '/predict', body, headers: trace } as const;
    const answer = await exchange.json(
      request,
      { signal, timeoutMs },
      (json) => readScores(json, texts, name),
      isBilled ? classifiedSummary : undefined,
    );
    if (!isFailed(answer)) return answer;
    const { kind, error } = answer.failure;
    // The error does not indicate whether it was caused by the texts or by the model type, so the model
    // type is requested.
    const type = kind === 'bad_request' ? await modelTypeOf(exchange, signal, timeoutMs) : undefined;
    return type === undefined || isClassifier(type) ? answer : noClassifier(name, error);
  };
}

function readScores(
  { json, headers }: JsonAnswer,
  texts: readonly string[],
  name: string,
): ClassifiedAnswer | FailedAnswer {
  const { results } = json;
  if (!Array.isArray(results)) return noClassifier(name);
  const predictions: readonly Prediction[] = results;
  const areScores = predictions.length === texts.length && predictions.every(({ top }) => Array.isArray(top));
  if (!areScores) return noClassifier(name);
  const scores = predictions.map(({ top = [] }) =>
    Object.fromEntries(top.map(({ label, score }) => [label, score])),
  );
  const tokens = Number(headers['x-compute-tokens']);
  return { kind: 'classified', scores, tokens: Number.isSafeInteger(tokens) ? tokens : undefined };
}

const noClassifier = (name: string, cause?: unknown): FailedAnswer =>
  failure('unsupported', {
    text: `Encoder \`${name}\` cannot classify. Use an encoder with a model of type ${MODEL_TYPE_NAMES.filter(isClassifier).join(' or ')}.`,
    cause,
  });

/** The usage of a classification, which only includes input tokens. */
export function classifiedSummary({ tokens }: Pick<ClassifiedAnswer, 'tokens'>): AnswerSummary {
  const counts = {
    completionTokens: 0,
    cachedTokens: 0,
    cacheWriteTokens: 0,
    cacheWrite1hTokens: 0,
    reasoningTokens: 0,
  };
  const usage = tokens === undefined ? undefined : { promptTokens: tokens, ...counts };
  return { usage, outputLength: 0, outputText: '', finishReason: undefined };
}

/** Finds entities with a model of type token_classification. */
const createEntityFinder =
  (exchange: Exchange, name: string, timeoutMs: number): NonNullable<Provider['entities']> =>
  async ({ texts, signal }) => {
    const body = Buffer.from(JSON.stringify({ inputs: texts, aggregation: 'simple' }));
    const request = { method: 'POST', path: '/predict', body } as const;
    return await exchange.json(request, { signal, timeoutMs }, ({ json }) =>
      readEntities(json['results'], texts, name),
    );
  };

function readEntities(
  results: unknown,
  texts: readonly string[],
  name: string,
): EntitiesAnswer | FailedAnswer {
  if (!Array.isArray(results) || results.length !== texts.length) return noTagger(name);
  const entities = results.map((result: unknown, index) => {
    const found = isObject(result) ? result['entities'] : undefined;
    if (!Array.isArray(found)) return undefined;
    const offset = unitOffsets(texts[index] ?? '');
    return found.flatMap((entity: unknown) => readEntity(entity, offset) ?? []);
  });
  const read = entities.filter((one) => one !== undefined);
  return read.length === texts.length ? { kind: 'entities', entities: read } : noTagger(name);
}

function readEntity(entity: unknown, offset: (codePoint: number) => number): FoundEntity | undefined {
  if (!isObject(entity)) return undefined;
  const { entity_group: label, score, start, end } = entity;
  const isEntity =
    typeof label === 'string' &&
    typeof score === 'number' &&
    typeof start === 'number' &&
    typeof end === 'number' &&
    end > start;
  return isEntity ? { label, score, start: offset(start), end: offset(end) } : undefined;
}

const noTagger = (name: string): FailedAnswer =>
  failure('unsupported', {
    text: `Encoder \`${name}\` cannot find entities. Use an encoder with a model of type token_classification.`,
  });

/** Returns a function that converts offsets in Unicode code points to UTF-16 code units. */
function unitOffsets(text: string): (codePoints: number) => number {
  if (!/[\uD800-\uDBFF]/.test(text)) return (count) => Math.min(count, text.length);
  const offsets: number[] = [];
  let at = 0;
  for (const character of text) {
    offsets.push(at);
    at += character.length;
  }
  return (count) => offsets[count] ?? text.length;
}
