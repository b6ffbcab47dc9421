import { isObject } from '#core/json/is-object.ts';
import { geminiAdapter } from '../gemini/adapter.ts';
import { modelEntry } from '../model-entry.ts';
import type { ProviderAdapter, UpstreamWire } from '../provider.ts';
import { vertexEmbeddings } from './embeddings.ts';
import { bareModel, modelNames, modelPath, type VertexPlace } from './model-path.ts';

/** Google's models on Vertex AI: Gemini's API with other paths. @see https://cloud.google.com/vertex-ai/generative-ai/docs/reference/rest */
export function geminiOnVertex(place: VertexPlace): ProviderAdapter {
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
      // The members of the request are not inside of another one, as in Gemini's own API.
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
