import { answerRequest } from '#serve/http/fetch-exchange.ts';
import type { Route } from '#serve/http/route.ts';
import type { ModelCallContext } from '../context.ts';
import type { Endpoint } from '../requests/completions/completion.ts';
import type { GatewayAppOptions } from './app-options.ts';
import { createCompletionAnswer, describeEndpoint } from './completions/routes.ts';
import { MODEL_PARAMETER } from './completions/docs.ts';
import { modelCallOf } from './guards.ts';
import type { HttpParts } from './http/parts.ts';

interface AzurePath {
  /** `{model}` in the path. */
  readonly path: string;
  readonly endpoint: Endpoint;
}

/** Endpoints whose path contains the deployment. On all other routes, the body contains the deployment. */
const OF_DEPLOYMENTS = [
  '/v1/chat/completions',
  '/v1/completions',
  '/v1/embeddings',
  '/v1/images/generations',
] as const satisfies readonly Endpoint[];

/**
 * The Azure OpenAI paths: those with deployments, and those of the API without dated versions.
 *
 * @internal Exported for tests.
 */
export const AZURE_PATHS: readonly AzurePath[] = [
  ...OF_DEPLOYMENTS.map((endpoint) => ({
    path: `/openai/deployments/{model}${endpoint.slice('/v1'.length)}`,
    endpoint,
  })),
  { path: '/openai/responses', endpoint: '/v1/responses' },
  ...([...OF_DEPLOYMENTS, '/v1/responses'] as const).map((endpoint) => ({
    path: `/openai${endpoint}`,
    endpoint,
  })),
];

/**
 * The paths for Azure OpenAI clients: the same endpoints under different paths. The API version is ignored.
 * @see https://learn.microsoft.com/azure/ai-foundry/openai/reference
 */
export function azureRoutes(
  context: ModelCallContext,
  options: GatewayAppOptions,
  { guards, route }: HttpParts,
): readonly Route[] {
  const answer = createCompletionAnswer(context, options);
  return AZURE_PATHS.map(({ path, endpoint }) => {
    const { id, ...described } = describeEndpoint(endpoint);
    return route({
      ...described,
      // Model names can contain colons and slashes.
      path: path.replace('{model}', ':model{.+}'),
      guard: guards.models,
      id: `${id}${suffixOf(path)}`,
      tag: 'Azure',
      description: `Same as \`${endpoint}\`, for Azure OpenAI clients. \`api-version\` is ignored. The key can also be sent in \`api-key\`.`,
      ...(path.includes('{model}') && { parameters: [MODEL_PARAMETER] }),
      run(c) {
        const model = c.req.param('model');
        const request = {
          endpoint,
          ...modelCallOf(c.get('caller')),
          requestId: c.get('requestId'),
          inPath: model === undefined ? undefined : { model },
        };
        return answerRequest(c, (exchange) => answer(exchange, request));
      },
    });
  });
}

function suffixOf(path: string): string {
  if (path.includes('{model}')) return 'OfDeployment';
  return path.startsWith('/openai/v1/') ? 'OfAzure' : 'OfAzureResource';
}
