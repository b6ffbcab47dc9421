import { anthropicAdapter } from '../anthropic/adapter.ts';
import { geminiErrorText } from '../gemini/errors.ts';
import { anthropicErrorText } from '../anthropic/errors.ts';
import type { ProviderAdapter, UpstreamWire } from '../provider.ts';
import { bareModel, modelPath, type VertexPlace } from './model-path.ts';

const VERSION = 'vertex-2023-10-16';

/** Anthropic's models on Vertex AI: their own API with other paths. @see https://docs.anthropic.com/en/api/claude-on-vertex-ai */
export function anthropicOnVertex(place: VertexPlace): ProviderAdapter {
  const { native, translated, ...anthropic } = anthropicAdapter;
  const wireAt = (wire: UpstreamWire): UpstreamWire => ({
    ...wire,
    path: (model, streams) =>
      modelPath(place, 'anthropic', model, streams ? 'streamRawPredict' : 'rawPredict'),
    edits: (body, model) => ({
      ...wire.edits(body, model),
      // The path names the model.
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
    // Errors of Google have another form than those of the model.
    errorText(body) {
      const google = geminiErrorText(body);
      return google.code ? google : anthropicErrorText(body);
    },
  };
}
