import type { Endpoint } from '../../requests/completions/completion.ts';

interface AzurePath {
  /** The model is `{model}`. */
  readonly path: string;
  readonly endpoint: Endpoint;
}

/** Endpoints with deployments in their path. Those of other routes are named in the body. */
const OF_DEPLOYMENTS = [
  '/v1/chat/completions',
  '/v1/completions',
  '/v1/embeddings',
  '/v1/images/generations',
] as const satisfies readonly Endpoint[];

/** Paths of Azure OpenAI: with deployments, and those of the API without dates. */
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
