import { isObject } from '#core/json/is-object.ts';
import { membersOf } from '#core/json/members-of.ts';
import {
  modelEntry,
  type ModelEntry,
  type ProviderAdapter,
  type EmbeddingsCall,
  type EmbeddingsExchange,
  type ErrorText,
  type UpstreamWire,
  type FailedAnswer,
  type Provider,
  type WholeAnswer,
} from '../provider.ts';
import { type Upstream } from '../upstream.ts';
import type { Json } from '../../shapes/chat.ts';
import { readUsage } from '../../streams/tally.ts';
import { embeddedTexts, vectorsAnswer } from '../content.ts';
import { unsupported, REMOVE_GATEWAY_MEMBERS } from '../unsupported.ts';
import { bareModel, modelPath, converseRequest, isAnthropic } from './request.ts';
import { readConverseAnswer, converseDecoder } from './answer.ts';
import { anthropicNativeDecoder, readNativeAnswer } from '../anthropic/adapter.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { sumOfCounts } from '../usage-of.ts';
import type { AnswerSummary, TokenUsage } from '../../streams/stream.ts';
import { isFailed, requestOrFailure } from '../exchange.ts';
import { pushAll } from '#core/values/push-all.ts';
import { authorizedUpstream, awsAccess, type ProviderAccess } from '../access/authorized-upstream.ts';
import { awsKeys } from '../access/aws-keys.ts';
import { createRenewed } from '../access/access.ts';
import { byModel, type OpenCloud } from '../cloud.ts';
import { createProvider } from '../create-provider.ts';
import { withEvents } from './event-stream.ts';
import type { BedrockSettings } from '../cloud-settings.ts';

/**
 * The path of the model list, which is served by a separate host. @see
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_ListFoundationModels.html
 */
const MODELS_PATH = '/foundation-models';

const bedrockModels: ProviderAdapter['models'] = {
  path: MODELS_PATH,
  list: ({ modelSummaries: models }) =>
    Array.isArray(models) ? models.filter(isObject).flatMap(readModel) : [],
};

/** Selects models that can be called by their own name; all others require an inference profile. */
function readModel({
  modelId,
  providerName,
  inferenceTypesSupported: types,
  modelLifecycle,
}: Json): ModelEntry[] {
  const isCallable = !Array.isArray(types) || types.includes('ON_DEMAND');
  const isActive = membersOf(modelLifecycle)['status'] !== 'LEGACY';
  if (!isCallable || !isActive) return [];
  return modelEntry(modelId, 0, typeof providerName === 'string' ? providerName : 'amazon');
}

/** A family of embedding models, each with its own API. */
interface Family {
  /** Maximum number of texts per request. */
  readonly maxTexts: number;
  request(texts: readonly string[], body: Json, model: string): Json;
  vectors(body: Json): unknown;
}

/** @see https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html */
const TITAN: Family = {
  maxTexts: 1,
  request: ([text = ''], { dimensions }) => ({
    inputText: text,
    ...(typeof dimensions === 'number' && { dimensions }),
  }),
  vectors: ({ embedding }) => [embedding],
};

/** @see https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-embed.html */
const COHERE: Family = {
  maxTexts: 96,
  request: (texts, { dimensions, input_type: type }) => ({
    texts,
    input_type: typeof type === 'string' ? type : 'search_document',
    embedding_types: ['float'],
    ...(typeof dimensions === 'number' && { output_dimension: dimensions }),
  }),
  vectors: ({ embeddings }) => (Array.isArray(embeddings) ? embeddings : membersOf(embeddings)['float']),
};

function familyOf(model: string): Family {
  const name = bareModel(model);
  if (name.startsWith('amazon.titan-embed-text')) return TITAN;
  if (name.startsWith('cohere.embed')) return COHERE;
  throw unsupported(`embeddings from ${model}; only Titan and Cohere are supported`, 'The gateway');
}

const textsOf = (input: unknown): readonly string[] => embeddedTexts(input, 'Amazon Bedrock');

/**
 * Maximum number of texts per request to a model. Throws a NotImplementedError if the model is not an
 * embedding model.
 */
const maxTextsOf = (model: string): number => familyOf(model).maxTexts;

const bedrockEmbeddings: EmbeddingsExchange = {
  path: (model) => modelPath(model, 'invoke'),
  request: ({ body, model }) =>
    Buffer.from(JSON.stringify(familyOf(model).request(textsOf(body['input']), body, model))),
  answer(json, call) {
    const vectors = familyOf(call.model).vectors(json) as readonly (readonly number[])[];
    return vectorsAnswer(vectors, call, tokensIn(json) ?? 0);
  },
  usage: (json) => {
    const tokens = tokensIn(json);
    return tokens === undefined ? undefined : readUsage({ prompt_tokens: tokens, completion_tokens: 0 });
  },
};

const tokensIn = ({ inputTextTokenCount: tokens }: Json): number | undefined =>
  typeof tokens === 'number' ? tokens : undefined;

/** A call that embeds some of the texts of another call. */
const callFor = (call: EmbeddingsCall, texts: readonly string[]): EmbeddingsCall => ({
  ...call,
  body: { ...call.body, input: texts },
});

/**
 * Errors have the format `{"message"}`, and stream errors have the format `{"error": {"type", "message"}}`.
 * If the machine's clock is off, a sentence about the clock is added.
 */
function bedrockErrorText(body: unknown): ErrorText {
  const members = membersOf(body);
  const { type, message = members['message'] ?? members['Message'] } = membersOf(members['error']);
  const text = typeof message === 'string' ? message : undefined;
  const isUnknown = text !== undefined && /model identifier is invalid/i.test(text);
  const isSkewed = text !== undefined && /signature (?:expired|not yet current)/i.test(text);
  return {
    message: isSkewed ? `This machine's clock differs from Amazon's; correct it. ${text}` : text,
    code: isUnknown ? 'model_not_found' : typeof type === 'string' ? type : undefined,
  };
}

const wire: UpstreamWire = {
  path: (model, streams) => modelPath(model, streams ? 'converse-stream' : 'converse'),
  decoder: converseDecoder,
  answer: readConverseAnswer,
  edits: () => REMOVE_GATEWAY_MEMBERS,
};

/** Amazon Bedrock's own API (Converse), which all models support. */
const converseAdapter: ProviderAdapter = {
  type: 'bedrock',
  headers: (apiKey) => (apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
  native: {},
  translated: { wire, request: converseRequest },
  embeddings: bedrockEmbeddings,
  tokenCount: {
    wire: undefined,
    path: (model) => modelPath(model, 'count-tokens'),
    edits: () => REMOVE_GATEWAY_MEMBERS,
    request: ({ messages, system, toolConfig }) => ({
      input: {
        converse: {
          messages,
          ...(system !== undefined && { system }),
          ...(toolConfig !== undefined && { toolConfig }),
        },
      },
    }),
    count: ({ inputTokens }) => inputTokens,
  },
  models: bedrockModels,
  errorText: bedrockErrorText,
};

const VERSION = 'bedrock-2023-05-31';

/**
 * Anthropic's models with their own API, so that its clients can also use features that Converse cannot
 * express.
 */
const anthropicOnBedrock: ProviderAdapter = {
  ...converseAdapter,
  native: {
    messages: {
      path: (model, streams) => modelPath(model, streams ? 'invoke-with-response-stream' : 'invoke'),
      decoder: anthropicNativeDecoder,
      answer: readNativeAnswer,
      edits: () => ({
        ...REMOVE_GATEWAY_MEMBERS,
        // Removed, because the path contains the model and whether to stream.
        model: undefined,
        stream: undefined,
        anthropic_version: JSON.stringify(VERSION),
      }),
    },
  },
};

/** Maximum number of concurrent requests for one client's texts. */
const MAX_PARALLEL = 4;

/** Embeds texts in several requests, because the models accept fewer texts at a time than OpenAI's API. */
function embedInParts(embed: Provider['embed']): Provider['embed'] {
  return async (call) => {
    const parts = requestOrFailure(() => partsOf(call));
    if (isFailed(parts)) return parts;
    if (parts.length <= 1) return await embed(call);
    const answers: WholeAnswer[] = [];
    for (let at = 0; at < parts.length; at += MAX_PARALLEL) {
      const batch = await Promise.all(parts.slice(at, at + MAX_PARALLEL).map(embed));
      const failed = batch.find((answer): answer is FailedAnswer => isFailed(answer));
      if (failed) return failed;
      pushAll(
        answers,
        batch.filter((answer) => answer.kind === 'whole'),
      );
    }
    return merged(answers);
  };
}

function partsOf(call: EmbeddingsCall): EmbeddingsCall[] {
  const texts = textsOf(call.body['input']);
  const size = maxTextsOf(call.model);
  const parts: EmbeddingsCall[] = [];
  for (let at = 0; at < texts.length; at += size) parts.push(callFor(call, texts.slice(at, at + size)));
  return parts;
}

function merged(answers: readonly WholeAnswer[]): WholeAnswer {
  const all = answers.map(({ bytes }) => parseJsonText(Buffer.from(bytes).toString('utf8')) as Json);
  const data = all.flatMap(({ data: items }) => items as Json[]).map((item, index) => ({ ...item, index }));
  const usage = usageOf(answers.map(({ summary }) => summary));
  const tokens = usage?.promptTokens ?? 0;
  const json = { ...all[0], data, usage: { prompt_tokens: tokens, total_tokens: tokens } };
  const summary = { usage, outputLength: 0, outputText: '', finishReason: undefined };
  const { providerKey } = answers[0] ?? {};
  return { kind: 'whole', bytes: Buffer.from(JSON.stringify(json)), text: '', summary, providerKey };
}

/** The total token count; undefined if a response has no count, in which case the tokens are estimated. */
function usageOf(summaries: readonly AnswerSummary[]): TokenUsage | undefined {
  const usages = summaries.map(({ usage }) => usage);
  const [first] = usages;
  if (!first || usages.includes(undefined)) return undefined;
  return { ...first, promptTokens: sumOfCounts(...usages.map((usage) => usage?.promptTokens)) };
}

export const openBedrock: OpenCloud<BedrockSettings> = (
  { region, controlUrl, keys: sources },
  { instance, pool, limits, clock, connect },
) => {
  const headers = converseAdapter.headers(instance.apiKey);
  const keys = sources && createRenewed(() => awsKeys(sources, clock), clock);
  const authorized = (baseUrl: string): Upstream => {
    const direct = connect(headers, baseUrl);
    if (!keys) return direct;
    const access: ProviderAccess = awsAccess({ keys, region, service: 'bedrock', baseUrl, clock });
    return authorizedUpstream(direct, access);
  };
  const upstream = withLists(withEvents(authorized(instance.baseUrl)), () => authorized(controlUrl));
  const parts = { instance, pool, upstream, limits, clock };
  const converse = createProvider({ ...parts, adapter: converseAdapter });
  const anthropic = createProvider({ ...parts, adapter: anthropicOnBedrock });
  return byModel(converse, ({ model }) => (isAnthropic(model) ? anthropic : converse), {
    embed: embedInParts((call) => converse.embed(call)),
  });
};

/** An upstream that sends requests for model lists to a separate host, to which it connects on demand. */
function withLists(upstream: Upstream, connect: () => Upstream): Upstream {
  let control: Upstream | undefined;
  return {
    request: (request) =>
      request.path === MODELS_PATH ? (control ??= connect()).request(request) : upstream.request(request),
    async close() {
      await Promise.all([upstream.close(), control?.close()]);
    },
  };
}
