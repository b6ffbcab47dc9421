import { authorizedUpstream, bearerAccess } from '../access/authorized-upstream.ts';
import { googleToken } from '../access/google-token.ts';
import { createRenewed } from '../access/access.ts';
import { byModel, type OpenCloud } from '../cloud.ts';
import { createProvider } from '../create-provider.ts';
import type { VertexSettings } from '../cloud-settings.ts';
import { isObject } from '#core/json/is-object.ts';
import { geminiAdapter, geminiErrorText } from '../gemini/adapter.ts';
import { modelEntry, type ProviderAdapter, type UpstreamWire, type EmbeddingsExchange } from '../provider.ts';
import { anthropicAdapter, anthropicErrorText } from '../anthropic/adapter.ts';
import { membersOf } from '#core/json/members-of.ts';
import { requiredObjectsIn } from '../../wires/foreign-json.ts';
import type { Json } from '../../shapes/chat.ts';
import { readUsage } from '../../streams/tally.ts';
import { embeddedTexts, vectorsAnswer } from '../content.ts';
import { sumOfCounts } from '../usage-of.ts';

export const openVertex: OpenCloud<VertexSettings> = (place, { instance, limits, clock, connect }) => {
  const token = createRenewed(() => googleToken(place.credentials, clock), clock);
  const upstream = authorizedUpstream(connect({}), bearerAccess(token));
  const parts = { instance, upstream, limits, clock };
  const google = createProvider({ ...parts, adapter: geminiOnVertex(place) });
  const anthropic = createProvider({ ...parts, adapter: anthropicOnVertex(place) });
  return byModel(google, ({ model }) => (publisherOf(model) === 'anthropic' ? anthropic : google));
};

/**
 * Google's models on Vertex AI: Gemini's API with different paths. @see
 * https://cloud.google.com/vertex-ai/generative-ai/docs/reference/rest
 */
function geminiOnVertex(place: VertexPlace): ProviderAdapter {
  const { native, translated, tokenCount, ...gemini } = geminiAdapter;
  const wireAt = (wire: UpstreamWire): UpstreamWire => ({
    ...wire,
    path: (model, streams) =>
      modelPath(place, 'google', model, streams ? 'streamGenerateContent?alt=sse' : 'generateContent'),
  });
  return {
    ...gemini,
    type: 'vertex',
    headers: () => ({}),
    native: { ...(native.gemini && { gemini: wireAt(native.gemini) }) },
    translated: translated && { ...translated, wire: wireAt(translated.wire) },
    embeddings: vertexEmbeddings(place),
    tokenCount: tokenCount && {
      ...tokenCount,
      path: (model) => modelPath(place, 'google', model, 'countTokens'),
      // Unlike in Gemini's own API, the members of the request are not nested in another member.
      request: ({ contents, systemInstruction, tools }) => ({
        contents,
        ...(systemInstruction !== undefined && { systemInstruction }),
        ...(tools !== undefined && { tools }),
      }),
    },
    modelNames,
    models: {
      path: '/v1beta1/publishers/google/models?pageSize=100',
      list: ({ publisherModels: models }) =>
        (Array.isArray(models) ? models.filter(isObject) : []).flatMap(({ name }) =>
          modelEntry(typeof name === 'string' ? bareModel(name) : undefined, 0, 'google'),
        ),
    },
  };
}

const VERSION = 'vertex-2023-10-16';

/**
 * Anthropic's models on Vertex AI: Anthropic's API with different paths. @see
 * https://docs.anthropic.com/en/api/claude-on-vertex-ai
 */
function anthropicOnVertex(place: VertexPlace): ProviderAdapter {
  const { native, translated, ...anthropic } = anthropicAdapter;
  const wireAt = (wire: UpstreamWire): UpstreamWire => ({
    ...wire,
    path: (model, streams) =>
      modelPath(place, 'anthropic', model, streams ? 'streamRawPredict' : 'rawPredict'),
    edits: (body, model) => ({
      ...wire.edits(body, model),
      // The path contains the model.
      model: undefined,
      anthropic_version: JSON.stringify(VERSION),
    }),
  });
  return {
    ...anthropic,
    type: 'vertex',
    headers: () => ({}),
    native: { ...(native.messages && { messages: wireAt(native.messages) }) },
    translated: translated && {
      wire: wireAt(translated.wire),
      request(chat, model) {
        const { model: _inPath, ...request } = translated.request(chat, model);
        return { ...request, anthropic_version: VERSION };
      },
    },
    tokenCount: anthropic.tokenCount && {
      ...anthropic.tokenCount,
      path: () => modelPath(place, 'anthropic', 'count-tokens', 'rawPredict'),
      edits: (model) => ({
        model: JSON.stringify(bareModel(model)),
        anthropic_version: JSON.stringify(VERSION),
      }),
      request: (request, model) => ({
        ...anthropic.tokenCount?.request?.({ ...request, model: bareModel(model) }, model),
        anthropic_version: VERSION,
      }),
    },
    // Errors from Google have a different format from errors that Anthropic's models return.
    errorText(body) {
      const google = geminiErrorText(body);
      return google.code ? google : anthropicErrorText(body);
    },
  };
}

/** @see https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api */
const vertexEmbeddings = (place: VertexPlace): EmbeddingsExchange => ({
  path: (model) => modelPath(place, 'google', model, 'predict'),
  request({ body }) {
    const { dimensions, input } = body;
    const texts = embeddedTexts(input, 'Vertex AI');
    return Buffer.from(
      JSON.stringify({
        instances: texts.map((content) => ({ content })),
        ...(typeof dimensions === 'number' && { parameters: { outputDimensionality: dimensions } }),
      }),
    );
  },
  answer(json, call) {
    const vectors = embeddingsIn(json).map(({ values }) => values as readonly number[]);
    return vectorsAnswer(vectors, call, tokensIn(json) ?? 0);
  },
  usage(json) {
    const tokens = tokensIn(json);
    return tokens === undefined ? undefined : readUsage({ prompt_tokens: tokens, completion_tokens: 0 });
  },
});

const embeddingsIn = ({ predictions }: Json): Json[] =>
  requiredObjectsIn(predictions, '`predictions`').map(({ embeddings }) => membersOf(embeddings));

const tokensIn = (json: Json): number | undefined =>
  sumOfCounts(...embeddingsIn(json).map(({ statistics }) => membersOf(statistics)['token_count']));

/** A Google Cloud project and location. */
interface VertexPlace {
  readonly project: string;
  readonly location: string;
}

/** A model name without the preceding parts of its resource name. */
const bareModel = (model: string): string =>
  model.replace(/^(?:projects\/[^/]+\/locations\/[^/]+\/)?(?:publishers\/[^/]+\/)?(?:models\/)?(?=.)/, '');

/** The publisher of a model. */
type Publisher = 'google' | 'anthropic';

const publisherOf = (model: string): Publisher =>
  model.includes('publishers/anthropic/') || bareModel(model).startsWith('claude') ? 'anthropic' : 'google';

/** All names of a model, the canonical name first. */
function modelNames(model: string): readonly [string, string] {
  const bare = bareModel(model);
  return [bare, `publishers/${publisherOf(model)}/models/${bare}`];
}

/**
 * The path of a method of a model. The model name is encoded, because clients choose it; the `@` before a
 * version is kept.
 */
function modelPath(
  { project, location }: VertexPlace,
  publisher: Publisher,
  model: string,
  method: string,
): string {
  const name = encodeURIComponent(bareModel(model)).replaceAll('%40', '@');
  return `/v1/projects/${encodeURIComponent(project)}/locations/${encodeURIComponent(location)}/publishers/${publisher}/models/${name}:${method}`;
}

/** The base URL for a location. */
export function vertexUrl(location: string): string {
  if (location === 'global') return 'https://aiplatform.googleapis.com';
  // The addresses of the multi-regions for the United States and Europe have a different format.
  if (location === 'us' || location === 'eu') return `https://aiplatform.${location}.rep.googleapis.com`;
  return `https://${location}-aiplatform.googleapis.com`;
}
