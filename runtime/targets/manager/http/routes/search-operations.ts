import { answerOf, wholeNumber } from '#serve/http/openapi/describe.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { foundPromptsBody, foundResourcesBody, foundToolsBody } from '../schemas/search.ts';

export const LIMIT = { min: 1, max: 1000, fallback: 20 };

const parameters = (what: string, example: string): NonNullable<Operation['parameters']> => [
  { name: 'q', in: 'query', required: true, description: 'Words to search for.', example },
  {
    name: 'limit',
    in: 'query',
    description: `Maximum number of ${what}.`,
    example: LIMIT.fallback,
    schema: wholeNumber(LIMIT.min, LIMIT.max, LIMIT.fallback),
  },
];

export const SEARCH_OPERATIONS: readonly Operation[] = [
  {
    method: 'get',
    path: '/api/v1/tools',
    id: 'searchTools',
    tag: 'Tools',
    summary: 'Search the tools of all servers.',
    description:
      'Searches names, titles, descriptions and parameters. Servers that do not respond are omitted.',
    parameters: parameters('tools', 'current time'),
    answer: answerOf('The matching tools.', foundToolsBody, {
      tools: [{ server: 'time', name: 'get_current_time', description: 'Current time in a time zone.' }],
    }),
    errors: [422],
  },
  {
    method: 'get',
    path: '/api/v1/prompts',
    id: 'searchPrompts',
    tag: 'Prompts',
    summary: 'Search the prompts of all servers.',
    description:
      'Searches names, titles, descriptions and arguments, in lists that can be 30 seconds old. Servers that do not respond are omitted.',
    parameters: parameters('prompts', 'greeting'),
    answer: answerOf('The matching prompts.', foundPromptsBody, {
      prompts: [{ server: 'echo', name: 'greet', arguments: [{ name: 'who', required: true }] }],
    }),
    errors: [422],
  },
  {
    method: 'get',
    path: '/api/v1/resources',
    id: 'searchResources',
    tag: 'Resources',
    summary: 'Search the resources and resource templates of all servers.',
    description:
      'Searches names, titles, descriptions, URIs and media types, in lists that can be 30 seconds old. Servers that do not respond are omitted.',
    parameters: parameters('resources', 'meeting notes'),
    answer: answerOf('The matching resources.', foundResourcesBody, {
      resources: [{ server: 'files', uri: 'file:///notes.txt', name: 'notes', mimeType: 'text/plain' }],
    }),
    errors: [422],
  },
];
