import { type Context, Hono } from 'hono';
import { AppError, messageOf } from '#contract/errors.ts';
import { isObject } from '#core/json/is-object.ts';
import { parseLossless } from '#core/json/lossless-json.ts';
import { membersOf } from '#core/json/members-of.ts';
import { authenticate } from '#serve/access.ts';
import { errorResponse } from '#serve/http/error-response.ts';
import { JSON_TYPE } from '#serve/http/exchange.ts';
import type { ShellEnv } from '#serve/http/request-state.ts';
import { encodeHeader } from '#serve/mcp/stateless-request.ts';
import type { CallKind } from '#transform/tool-script/tool-script.ts';
import type { ToolCaller } from '../access/caller.ts';
import { selectFor, selectionIn } from '../access/selection.ts';
import { qualifiedToolName, qualify } from '../calls/tool-catalog.ts';
import { serverName } from '../config/server-name.ts';
import type { ManagerContext } from '../context.ts';
import { callerOfRequest, GROUP_PATH, groupCallerOf } from '../http/env.ts';
import { pluginMiddleware } from '../plugins/middleware.ts';
import type { Plugins } from '../plugins/plugins.ts';
import { addressBindings, type ReceivedRequest } from '../plugins/received-request.ts';
import type { CalledItem, InspectCall, InspectedCall } from '../scripts/called-item.ts';
import { promptResult, readResult, toolResultShape } from '../shapes/results.ts';
import type { Shape, ShapeOfParams } from '../shapes/shape.ts';
import type { EndpointFor, McpEndpoint } from './endpoint.ts';
import { type McpCall, mcpServerCall, optionalObject, requiredParam } from './mcp-call.ts';
import { selectedMode } from './mode-of.ts';
import { ownUri } from './resource-uri.ts';
import { toRpcError } from './to-rpc-error.ts';

interface ScriptRequestParts {
  readonly plugins: Plugins;
  readonly endpointFor: EndpointFor;
}

/** Returns the function that sends the calls of a script, which is a call itself, through plugins. */
export type ScriptRequests = (script: McpCall, endpoint: Pick<McpEndpoint, 'targets'>) => InspectCall;

/** How MCP requests an item, and the shape of its result. */
interface ItemRequest {
  readonly method: string;
  /** The parameter that identifies the item. */
  readonly key: 'name' | 'uri';
  readonly shape: Shape<ShapeOfParams>;
}

const REQUESTS: Readonly<Record<CallKind, ItemRequest>> = {
  tool: { method: 'tools/call', key: 'name', shape: toolResultShape },
  prompt: { method: 'prompts/get', key: 'name', shape: promptResult },
  resource: { method: 'resources/read', key: 'uri', shape: readResult },
};

/** A call of a script on its way through the plugins. It is passed to the app as bindings. */
interface PassingCall extends ReturnType<typeof addressBindings> {
  readonly script: McpCall;
  readonly item: CalledItem;
  /** The name or URI in the request. */
  readonly requested: string;
  readonly run: (call: InspectedCall) => Promise<ShapeOfParams>;
  /** Set if the call fails. */
  failure?: { readonly error: unknown; readonly message: string };
}

/**
 * Sends each call of a script through the plugins as the request that its client would send instead, with the headers of
 * the request that runs the script. These requests do not leave the process. They pass the same middleware as other
 * requests, and then the check of the key, because plugins can change the headers.
 */
export function createScriptRequests(
  { kernel, groups }: ManagerContext,
  { plugins, endpointFor }: ScriptRequestParts,
): ScriptRequests {
  const app = new Hono<ShellEnv>({ strict: false });
  app.use(async (c, next) => {
    c.set('requestId', passingCall(c).script.requestId);
    await next();
  });
  app.use(pluginMiddleware(plugins, { dispatch: (request, bindings) => app.fetch(request, bindings) }));
  app.use(async (c, next) => {
    c.set('caller', await authenticate(kernel.access, c.req.header('Authorization')));
    await next();
  });
  const respond = async (c: Context<ShellEnv>, caller: ToolCaller): Promise<Response> => {
    const selected = selectFor(caller, selectionIn(c.req.url));
    const endpoint = endpointFor(selected, c.req.param('server'), selectedMode(c.req.url));
    const response = await makeCall(passingCall(c), await c.req.text(), {
      endpoint,
      caller: selected,
      headers: c.req.raw.headers,
    });
    return c.body(JSON.stringify({ jsonrpc: '2.0', ...response }), 200, JSON_TYPE);
  };
  for (const path of ['/mcp', '/mcp/:server']) {
    app.post(path, (c) => respond(c, callerOfRequest(c)));
    app.post(GROUP_PATH + path, (c) => respond(c, groupCallerOf(c, groups)));
  }
  app.notFound((c) => {
    const message = `plugins can only send calls of scripts to /mcp and /mcp/{server}, not to ${c.req.path.slice(0, 200)}`;
    return errorResponse(c, new AppError('NotFoundError', message), []);
  });
  app.onError((error, c) => {
    const known = error instanceof AppError ? error : new AppError('InternalError', 'Internal error');
    if (known !== error || known.code === 'InternalError') {
      kernel.log.error({ requestId: c.get('requestId'), err: error }, 'request of a script failed');
    }
    return errorResponse(c, known, []);
  });

  return (script, { targets }) => {
    const { received } = script;
    if (!received) throw new AppError('InternalError', 'the script does not belong to an HTTP request');
    return async (item, number, run) => {
      const { method, key, shape } = REQUESTS[item.kind];
      const requested = await requestedName(item, script, targets);
      const passing: PassingCall = {
        ...addressBindings(received.remoteAddr),
        script,
        item,
        requested,
        run,
      };
      const { args } = item;
      const params = {
        [key]: requested,
        ...(item.kind !== 'resource' && { arguments: args }),
        ...metaOf(script),
      };
      const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: number, method, params }));
      const headers = headersOf(received, { method, requested, length: body.length });
      const request = new Request(received.url, { method: 'POST', headers, body });
      const result = await resultIn(await app.fetch(request, passing), passing);
      try {
        return shape(result);
      } catch (error) {
        throw new AppError('UpstreamError', `${nameOf(item)}: malformed result: ${messageOf(error)}`, {
          cause: error,
        });
      }
    };
  };
}

const passingCall = (c: Context): PassingCall => c.env;

const nameOf = ({ server, name }: CalledItem): string => `${server}/${name}`;

/** Returns the name or URI with which a client of `/mcp` requests the item. */
async function requestedName(
  { kind, server: written, name }: CalledItem,
  script: McpCall,
  targets: McpEndpoint['targets'],
): Promise<string> {
  const server = serverName(written);
  if (kind === 'tool') return qualifiedToolName(server, name);
  if (kind === 'prompt') return qualify(server, name);
  const owner = await targets.resource(script, name).catch(() => undefined);
  return owner?.server === server ? name : ownUri({ server, uri: name });
}

/** The client's `_meta`. Progress is reported for the script. */
function metaOf({ params }: McpCall): { readonly _meta?: ShapeOfParams } {
  const { progressToken: _token, ...meta } = membersOf(params['_meta']);
  return Object.keys(meta).length === 0 ? {} : { _meta: meta };
}

/** Headers that describe the body or the parameters of the request that runs the script. */
const OWN_HEADER = /^(?:content-encoding|transfer-encoding|expect|mcp-param-.*)$/;

interface Described {
  readonly method: string;
  readonly requested: string;
  readonly length: number;
}

function headersOf({ headers: all }: ReceivedRequest, { method, requested, length }: Described): Headers {
  const headers = new Headers([...all].filter(([name]) => !OWN_HEADER.test(name)));
  headers.set('Content-Type', 'application/json');
  headers.set('Content-Length', String(length));
  if (headers.has('Mcp-Method')) headers.set('Mcp-Method', method);
  if (headers.has('Mcp-Name')) headers.set('Mcp-Name', encodeHeader(requested));
  return headers;
}

interface RequestFacts extends Pick<InspectedCall, 'caller' | 'headers'> {
  readonly endpoint: McpEndpoint;
}

/** Makes the call that a request describes. Returns the members of the JSON-RPC response. */
async function makeCall(
  passing: PassingCall,
  body: string,
  { endpoint, caller, headers }: RequestFacts,
): Promise<ShapeOfParams> {
  const { kind } = passing.item;
  const { id, params } = readRequest(body, REQUESTS[kind].method);
  const call: McpCall = { ...passing.script, caller, headers, params, target: undefined };
  try {
    const { server, name } = await targetOf(passing, call, endpoint);
    const args = kind === 'resource' ? { uri: name } : optionalObject(params, 'arguments');
    const { meta } = mcpServerCall(call, server);
    const result = await passing.run({ item: { kind, server, name, args }, caller, headers, meta });
    return { id, result };
  } catch (error) {
    const { code, message, data } = toRpcError(error);
    passing.failure = { error, message };
    return { id, error: { code, message, ...(data !== undefined && { data }) } };
  }
}

/** Returns what a request is for. An unchanged name is that of the script's call, whose server it can be ambiguous about. */
async function targetOf(
  { item: { kind, server, name }, requested }: PassingCall,
  call: McpCall,
  { server: only, targets }: McpEndpoint,
): Promise<{ readonly server: string; readonly name: string }> {
  const current = requiredParam(call.params, REQUESTS[kind].key);
  if (only === undefined && current === requested) return { server, name };
  if (kind !== 'resource') return targets.named(call, kind, current);
  const owner = await targets.resource(call, current);
  return { server: owner.server, name: owner.uri };
}

function readRequest(body: string, method: string): { readonly id: unknown; readonly params: ShapeOfParams } {
  const message = jsonIn(body);
  if (!isObject(message)) throw new AppError('InputError', 'a plugin changed the request to invalid JSON');
  if (message['method'] !== method)
    throw new AppError(
      'InputError',
      `a plugin changed the method of a script’s call, which must be ${method}`,
    );
  return { id: message['id'] ?? null, params: membersOf(message['params']) };
}

/** Maximum length of a plugin's text in an error. */
const MAX_REASON = 500;

/** Returns the result in a response that passed the plugins. Throws the error in it. */
async function resultIn(response: Response, { item, failure }: PassingCall): Promise<unknown> {
  const text = await response.text();
  const { result, error } = membersOf(response.ok ? jsonIn(text) : undefined);
  if (isObject(result)) return result;
  if (isObject(error)) {
    // An error that no plugin changed is the same as without plugins.
    if (failure?.error instanceof AppError && error['message'] === failure.message) throw failure.error;
    throw new AppError('UpstreamError', `${nameOf(item)}: ${String(error['message'])}`);
  }
  const shown = text.trim().slice(0, MAX_REASON);
  const reason = shown === '' ? '' : `: ${shown}`;
  if (response.ok)
    throw new AppError(
      'UpstreamError',
      `${nameOf(item)}: a plugin changed the response to invalid JSON${reason}`,
    );
  throw new AppError('ForbiddenError', `${nameOf(item)}: rejected with status ${response.status}${reason}`);
}

function jsonIn(text: string): unknown {
  try {
    return parseLossless(text);
  } catch {
    return undefined;
  }
}
