import { pathSegment } from '../path-segment.ts';
import type { OpenAiDialect } from '../provider.ts';

/** The version of the API without dates, whose paths are those of OpenAI. `latest` and `preview` are names of it. */
const isUndated = (apiVersion: string | undefined): boolean =>
  apiVersion === undefined || !/^\d{4}-\d\d-\d\d/.test(apiVersion);

/** A path of a resource: of a deployment, if the route belongs to one. */
export function azurePath(
  apiVersion: string | undefined,
  route: string,
  deployment: string | undefined,
): string {
  if (isUndated(apiVersion)) {
    const isNamed = apiVersion !== undefined && apiVersion !== 'v1';
    return `/openai/v1${route}${isNamed ? `?api-version=${encodeURIComponent(apiVersion)}` : ''}`;
  }
  const query = `?api-version=${encodeURIComponent(apiVersion ?? '')}`;
  return deployment === undefined
    ? `/openai${route}${query}`
    : `/openai/deployments/${pathSegment(deployment)}${route}${query}`;
}

/** What a version of the API can do. @see https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle */
export function azureDialect(apiVersion: string | undefined): OpenAiDialect {
  const has = (date: string): boolean => isUndated(apiVersion) || (apiVersion ?? '') >= date;
  return {
    maxTokens: has('2024-12-01') ? 'max_completion_tokens' : 'max_tokens',
    streamUsage: has('2024-09-01'),
    hasResponses: has('2025-03-01'),
  };
}
