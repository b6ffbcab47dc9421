import { AppError, inputError } from '#contract/errors.ts';
import { matchesUriTemplate } from '../shared/uri-template.ts';
import { RpcFailure } from '../upstream/connection.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';
import type { Calls, ServerCall } from './call.ts';
import {
  type RunCall,
  type CallInfo,
  isInvalidParams,
  isMethodNotFound,
  isResourceNotFound,
  notImplemented,
  type CallContext,
  LIST_CALL_INFO,
} from './run-call.ts';
import { requireCapability, listPage, type ListPageParts, readerOf } from './list-page.ts';
import { listAllPages } from './list-pages.ts';
import { canRead } from './tool-catalog.ts';
import { readResult } from '../shapes/results.ts';

export function resourceCalls(
  runCall: RunCall,
  parts: ListPageParts,
): Pick<Calls, 'listResources' | 'listResourceTemplates' | 'readResource'> {
  return {
    listResources: (call) =>
      runCall(call, LIST_CALL_INFO.resources, (context) => listPage(context, 'resources', call, parts)),
    listResourceTemplates: (call) =>
      runCall(call, LIST_CALL_INFO.resourceTemplates, (context) =>
        listPage(context, 'resourceTemplates', call, parts),
      ),
    readResource(call) {
      const { uri } = call;
      const info: CallInfo = {
        kind: 'resource',
        audited: { name: uri, args: {} },
        texts: (server) => ({
          title: 'MCP server error reading resource',
          detail: `resource read failed: ${server}: ${uri}`,
        }),
      };
      return runCall(call, info, async (context) => {
        await requireResource(context, call);
        const { lists } = parts;
        lists.guard.requireVisible(context.server, 'resources', uri);
        await lists.requirePinned(context.server, 'resources', uri, readerOf(context, call));
        try {
          return readResult(await context.request('resources/read', { uri })).contents;
        } catch (error) {
          throw await explainRpcFailure(error, context, uri);
        }
      });
    },
  };
}

type ResourceCall = ServerCall & { readonly uri: string };

/** Rejects disallowed resources before sending a request to the server. */
export async function requireResource(context: CallContext, { caller, uri }: ResourceCall): Promise<void> {
  if (uri === '') {
    throw inputError('`uri` is missing. Set it to the URI of a resource.');
  }
  if (!canRead(caller, context.server.spec(), 'resource', uri)) {
    throw new AppError('ForbiddenError', `resource not allowed: ${context.server.name}: ${uri}`);
  }
  await requireCapability(context, 'resources');
}

/**
 * Detects unknown resources with the server's lists, because servers use several codes for them that also
 * have other meanings.
 */
async function explainRpcFailure(error: unknown, context: CallContext, uri: string): Promise<unknown> {
  if (!(error instanceof RpcFailure)) return error;
  const { name } = context.server;
  if (isMethodNotFound(error)) return notImplemented('resources', name);
  if (!isResourceNotFound(error) && !(await isUnlisted(context, uri, isInvalidParams(error)))) return error;
  return new AppError('NotFoundError', `resource not found: ${name}: ${uri}`, { cause: error });
}

/** Whether no list contains the URI. After an "invalid params" error, a matching template does not count. */
async function isUnlisted(context: CallContext, uri: string, isInvalid: boolean): Promise<boolean> {
  const all = (method: string, key: string): Promise<readonly ShapeOfParams[]> =>
    listAllPages(key, (cursor) => context.request(method, cursor === undefined ? undefined : { cursor }));
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
