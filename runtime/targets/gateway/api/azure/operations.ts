import type { Operation } from '#serve/http/openapi/operation.ts';
import { COMPLETION_OPERATIONS } from '../completions/operations.ts';
import { MODEL_PARAMETER } from '../gemini/operations.ts';
import { AZURE_PATHS } from './paths.ts';

/** The operations of OpenAI's API, under the paths of Azure. */
export const AZURE_OPERATIONS: readonly Operation[] = AZURE_PATHS.flatMap(({ path, endpoint }) =>
  COMPLETION_OPERATIONS.filter((operation) => operation.path === endpoint).map((operation) => ({
    ...operation,
    path,
    id: `${operation.id}${suffixOf(path)}`,
    tag: 'Azure',
    description: `The same as \`${endpoint}\`, for clients of Azure OpenAI. \`api-version\` does not matter. The key can also be in \`api-key\`.`,
    ...(path.includes('{model}') && { parameters: [MODEL_PARAMETER] }),
  })),
);

function suffixOf(path: string): string {
  if (path.includes('{model}')) return 'OfDeployment';
  return path.startsWith('/openai/v1/') ? 'OfAzure' : 'OfAzureResource';
}
