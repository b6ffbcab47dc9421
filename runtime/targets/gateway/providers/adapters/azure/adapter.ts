import { openAiAdapter } from '../openai/adapter.ts';
import type { OpenAiDialect, ProviderAdapter, UpstreamWire } from '../provider.ts';
import { azureErrorText } from './errors.ts';
import { azureDialect, azurePath } from './versions.ts';

/**
 * Azure OpenAI: OpenAI's API with other paths. The model of a request is the name of a deployment.
 * @see https://learn.microsoft.com/azure/ai-foundry/openai/reference
 */
export function azureAdapter(
  apiVersion: string | undefined,
  own: Partial<OpenAiDialect> = {},
): ProviderAdapter {
  const dialect = { ...azureDialect(apiVersion), ...own };
  const { native, translated, embeddings, tokenCount: _unused, ...openai } = openAiAdapter(dialect);
  const wireAt = (wire: UpstreamWire, route: string): UpstreamWire => ({
    ...wire,
    path: (model) => azurePath(apiVersion, route, model),
  });
  return {
    ...openai,
    type: 'azure',
    headers: (apiKey) => (apiKey === undefined ? {} : { 'api-key': apiKey }),
    native: {
      ...(native.chat && { chat: wireAt(native.chat, '/chat/completions') }),
      ...(native.completions && { completions: wireAt(native.completions, '/completions') }),
      // Responses name their deployment in the body, in every version of the API.
      ...(native.responses && {
        responses: { ...native.responses, path: () => azurePath(apiVersion, '/responses', undefined) },
      }),
    },
    translated: translated && { ...translated, wire: wireAt(translated.wire, '/chat/completions') },
    embeddings: embeddings && {
      ...embeddings,
      path: (model) => azurePath(apiVersion, '/embeddings', model),
    },
    relays: {
      image_generations: {
        path: (model) => azurePath(apiVersion, '/images/generations', model),
        requiredList: 'data',
      },
    },
    // The list has the models that can be deployed, not the deployments that can be called.
    models: { path: azurePath(apiVersion, '/models', undefined), list: () => [] },
    errorText: azureErrorText,
  };
}
