import { AppError, inputError } from '../../../contract/errors.ts';
import { couldBecome } from '../../../core/uri-template.ts';
import { type Params, RpcFailure } from '../upstream/connection.ts';
import type { Calls } from './api.ts';
import type { Ask, Question } from './ask.ts';
import { isInvalidParams, isMethodNotFound, isResourceNotFound, notImplemented } from './failures.ts';
import { demand, listPage } from './list-page.ts';
import { itemsOf, listAllPages } from './list-pages.ts';
import { isOffered } from './offered.ts';
import type { Visit } from './visit.ts';

const LISTING: Question = {
  kind: 'list',
  texts: (server) => ({
    title: 'MCP server error listing resources',
    detail: `resource list failed: ${server}`,
  }),
};
const LISTING_TEMPLATES: Question = {
  kind: 'list',
  texts: (server) => ({
    title: 'MCP server error listing resource templates',
    detail: `resource template list failed: ${server}`,
  }),
};

export function resourceCalls(
  ask: Ask,
): Pick<Calls, 'listResources' | 'listResourceTemplates' | 'readResource'> {
  return {
    listResources: (call) =>
      ask(call, LISTING, (visit) =>
        listPage(visit, {
          capability: 'resources',
          method: 'resources/list',
          key: 'resources',
          cursor: call.cursor,
          isOffered: ({ uri }) => isOffered(visit.server.spec().resources, String(uri)),
        }),
      ),
    listResourceTemplates: (call) =>
      ask(call, LISTING_TEMPLATES, (visit) =>
        listPage(visit, {
          capability: 'resources',
          method: 'resources/templates/list',
          key: 'resourceTemplates',
          cursor: call.cursor,
          isOffered: ({ uriTemplate }) => isOffered(visit.server.spec().resources, String(uriTemplate)),
        }),
      ),
    readResource(call) {
      const { uri } = call;
      const question: Question = {
        kind: 'resource',
        audited: { name: uri, args: {} },
        texts: (server) => ({
          title: 'MCP server error reading resource',
          detail: `resource read failed: ${server}: ${uri}`,
        }),
      };
      return ask(call, question, async (visit) => {
        await demandResource(visit, uri);
        try {
          return itemsOf(await visit.request('resources/read', { uri }), 'contents');
        } catch (error) {
          throw await judge(error, visit, uri);
        }
      });
    },
  };
}

/** Refuses what is not offered, before the server hears of it. */
export async function demandResource(visit: Visit, uri: string): Promise<void> {
  if (uri === '') {
    throw inputError('`uri` is missing; name the resource to read, as the list of resources has it.');
  }
  if (!isOffered(visit.server.spec().resources, uri)) {
    throw new AppError('ForbiddenError', `resource not allowed: ${visit.server.name}: ${uri}`);
  }
  await demand(visit, 'resources');
}

/** Servers refuse an unknown resource with several codes, some of which also mean other things: their lists tell which. */
async function judge(error: unknown, visit: Visit, uri: string): Promise<unknown> {
  if (!(error instanceof RpcFailure)) return error;
  const { name } = visit.server;
  if (isMethodNotFound(error)) return notImplemented('resources', name);
  if (!isResourceNotFound(error) && !(await isUnlisted(visit, uri, isInvalidParams(error)))) return error;
  return new AppError('NotFoundError', `resource not found: ${name}: ${uri}`, { cause: error });
}

/** Whether no list has it. With invalid parameters, the address is wrong also if it looks like one of a template. */
async function isUnlisted(visit: Visit, uri: string, isInvalid: boolean): Promise<boolean> {
  const all = (method: string, key: string): Promise<readonly Params[]> =>
    listAllPages(key, (cursor) => visit.request(method, cursor === undefined ? undefined : { cursor }));
  try {
    const resources = await all('resources/list', 'resources');
    if (resources.some((resource) => resource['uri'] === uri)) return false;
    if (isInvalid) return true;
    const templates = await all('resources/templates/list', 'resourceTemplates');
    return !templates.some(({ uriTemplate }) => couldBecome(String(uriTemplate), uri));
  } catch {
    return false;
  }
}
