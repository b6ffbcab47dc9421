import type { Context } from 'hono';
import type { ShellEnv } from '#serve/http/request-state.ts';
import { requiredText, wholeNumberOf } from '#serve/http/query.ts';
import { createSearch, type CatalogSearch } from '../../calls/search.ts';
import { type FoundItem, SEARCH_KINDS } from '../../calls/search-kinds.ts';
import { isTool } from '../../calls/call.ts';
import type { ManagerContext } from '../../context.ts';
import { callerOfRequest } from '../env.ts';
import type { Route } from '#serve/http/route.ts';
import type { ManagerHttpParts } from '../parts.ts';
import { serverPromptView, resourceView, templateView } from '../views/resource-view.ts';
import { TOOL_VIEWS } from '../views/tool-view.ts';
import { answerOf, wholeNumber } from '#serve/http/openapi/describe.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { foundPromptsBody, foundResourcesBody, foundToolsBody } from '../schemas/search.ts';

/** `GET /api/v1/tools`, `/prompts` and `/resources`: search all servers. */
export function searchRoutes(
  { calls, meanings }: ManagerContext,
  { guards, route, answer }: ManagerHttpParts,
): readonly Route[] {
  const tools = createSearch(calls, SEARCH_KINDS.tools, meanings);
  const prompts = createSearch(calls, SEARCH_KINDS.prompts, meanings);
  const resources = createSearch(calls, SEARCH_KINDS.resources, meanings);
  return [
    route({
      method: 'get',
      path: '/api/v1/tools',
      guard: guards.search,
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
      run: async (c) => {
        const found = await findIn(c, tools);
        return answer(c, 'FoundTools', {
          tools: found.flatMap(({ server, item }) =>
            isTool(item) ? [{ server, ...TOOL_VIEWS.summary(item) }] : [],
          ),
        });
      },
    }),
    route({
      method: 'get',
      path: '/api/v1/prompts',
      guard: guards.search,
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
      run: async (c) => {
        const found = await findIn(c, prompts);
        return answer(c, 'FoundPrompts', {
          prompts: found.map(({ server, item }) => ({ server, ...serverPromptView(item) })),
        });
      },
    }),
    route({
      method: 'get',
      path: '/api/v1/resources',
      guard: guards.search,
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
      run: async (c) => {
        const found = await findIn(c, resources);
        return answer(c, 'FoundResources', {
          resources: found.map(({ server, list, item }) => ({
            server,
            ...(list === 'resources' ? resourceView(item) : templateView(item)),
          })),
        });
      },
    }),
  ];
}

async function findIn(c: Context<ShellEnv>, search: CatalogSearch): Promise<FoundItem[]> {
  const query = requiredText(c, 'q', 'set it to the words to search for, e.g. `?q=current time`');
  return await search.search(callerOfRequest(c), query, wholeNumberOf(c, 'limit', LIMIT), {
    requestId: c.get('requestId'),
    signal: c.req.raw.signal,
    // A server that fails is omitted; its status shows the reason.
    onFailure: () => undefined,
  });
}

const LIMIT = { min: 1, max: 1000, fallback: 20 };

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
