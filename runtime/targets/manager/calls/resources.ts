import { AppError, inputError } from '../../../contract/errors.ts';
import { matchesUriTemplate } from '../shared/uri-template.ts';
import { RpcFailure } from '../upstream/connection.ts';
import type { Params } from '../shapes/shape.ts';
import type { Calls, ServerCall } from './call.ts';
import type { Ask, Question } from './ask.ts';
import { isInvalidParams, isMethodNotFound, isResourceNotFound, notImplemented } from './failures.ts';
import { demand, listPage } from './list-page.ts';
import { listAllPages } from './list-pages.ts';
import { LIST_QUESTIONS } from './list-questions.ts';
import { mayRead } from './offered.ts';
import { readResult } from '../shapes/results.ts';
import type { CheckList } from '../shapes/check-list.ts';
import type { Visit } from './visit.ts';

export function resourceCalls(
  ask: Ask,
  checkList: CheckList,
): Pick<Calls, 'listResources' | 'listResourceTemplates' | 'readResource'> {
  return {
    listResources: (call) =>
      ask(call, LIST_QUESTIONS.resources, (visit) =>
        listPage(visit, { list: 'resources', cursor: call.cursor, caller: call.caller }, checkList),
      ),
    listResourceTemplates: (call) =>
      ask(call, LIST_QUESTIONS.resourceTemplates, (visit) =>
        listPage(visit, { list: 'resourceTemplates', cursor: call.cursor, caller: call.caller }, checkList),
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
        await demandResource(visit, call);
        try {
          return readResult(await visit.request('resources/read', { uri })).contents;
        } catch (error) {
          throw await judge(error, visit, uri);
        }
      });
    },
  };
}

type ResourceCall = ServerCall & { readonly uri: string };

/** Refuses what is not offered or not for this caller, before the server hears of it. */
export async function demandResource(visit: Visit, { caller, uri }: ResourceCall): Promise<void> {
  if (uri === '') {
    throw inputError('`uri` is missing; name the resource to read, as the list of resources has it.');
  }
  if (!mayRead(caller, visit.server.spec(), 'resource', uri)) {
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
    return !templates.some(({ uriTemplate }) => matchesUriTemplate(String(uriTemplate), uri));
  } catch {
    return false;
  }
}
