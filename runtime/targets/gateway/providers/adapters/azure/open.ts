import { authorizedUpstream, bearerAccess } from '../access/authorized-upstream.ts';
import { entraToken } from '../access/entra-token.ts';
import { createRenewed } from '../access/access.ts';
import { type OpenCloud, withModelNames } from '../cloud.ts';
import { createProvider } from '../create-provider.ts';
import type { AzureSettings } from '../cloud-settings.ts';
import { openAiAdapter, openAiErrorText } from '../openai/adapter.ts';
import type { OpenAiDialect, ProviderAdapter, UpstreamWire, ErrorText } from '../provider.ts';
import { pathSegment } from '../path-segment.ts';
import { membersOf } from '#core/json/members-of.ts';

export const openAzure: OpenCloud<AzureSettings> = (
  { apiVersion, deployments, entra },
  { instance, pool, limits, clock, connect },
) => {
  const adapter = azureAdapter(apiVersion, instance.dialect);
  const direct = connect(adapter.headers(instance.apiKey));
  const upstream = entra
    ? authorizedUpstream(direct, bearerAccess(createRenewed(() => entraToken(entra, clock), clock)))
    : direct;
  const provider = createProvider({ instance, pool, adapter, upstream, limits, clock });
  return withModelNames(provider, (model) =>
    Object.hasOwn(deployments, model) ? (deployments[model] ?? model) : model,
  );
};

/**
 * Azure OpenAI: OpenAI's API with different paths. The model in a request is the name of a deployment.
 * @see https://learn.microsoft.com/azure/ai-foundry/openai/reference
 */
function azureAdapter(apiVersion: string | undefined, own: Partial<OpenAiDialect> = {}): ProviderAdapter {
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
      // On the Responses API, the body of a request contains the deployment in every API version.
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
    // The list contains the models that can be deployed, not the deployments that can be called.
    models: { path: azurePath(apiVersion, '/models', undefined), list: () => [] },
    errorText: azureErrorText,
  };
}

/**
 * The API version without a date, whose paths are the same as OpenAI's. `latest` and `preview` are aliases
 * for this version.
 */
const isUndated = (apiVersion: string | undefined): boolean =>
  apiVersion === undefined || !/^\d{4}-\d\d-\d\d/.test(apiVersion);

/** A path within a resource, which includes the deployment if the route belongs to one. */
function azurePath(apiVersion: string | undefined, route: string, deployment: string | undefined): string {
  if (isUndated(apiVersion)) {
    const isNamed = apiVersion !== undefined && apiVersion !== 'v1';
    return `/openai/v1${route}${isNamed ? `?api-version=${encodeURIComponent(apiVersion)}` : ''}`;
  }
  const query = `?api-version=${encodeURIComponent(apiVersion ?? '')}`;
  return deployment === undefined
    ? `/openai${route}${query}`
    : `/openai/deployments/${pathSegment(deployment)}${route}${query}`;
}

/**
 * The features that an API version supports. @see
 * https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle
 */
function azureDialect(apiVersion: string | undefined): OpenAiDialect {
  const has = (date: string): boolean => isUndated(apiVersion) || (apiVersion ?? '') >= date;
  return {
    maxTokens: has('2024-12-01') ? 'max_completion_tokens' : 'max_tokens',
    streamUsage: has('2024-09-01'),
    hasResponses: has('2025-03-01'),
  };
}

/**
 * Errors have OpenAI's format. A content filter error also contains the categories that were found; the
 * message does not mention them, so they are added.
 */
function azureErrorText(body: unknown): ErrorText {
  const { message, code } = openAiErrorText(body);
  const { innererror: inner } = membersOf(membersOf(body)['error']);
  const found = Object.entries(membersOf(membersOf(inner)['content_filter_result']))
    .filter(([, result]) => membersOf(result)['filtered'] === true)
    .map(([category]) => category);
  if (found.length === 0) return { message, code };
  return { message: `${message ?? 'The content was filtered.'} Filtered for: ${found.join(', ')}.`, code };
}
