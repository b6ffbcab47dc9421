import { isObject } from '#core/json/is-object.ts';
import { RPC_CODE, RpcError } from '#serve/mcp/rpc-error.ts';
import type { CalledTool, Calls } from '../calls/call.ts';
import type { LongResults } from './long-results.ts';
import type { ToolResult } from '../shapes/results.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';
import { type McpCall, type Method, optionalObject, requiredParam, mcpServerCall } from './mcp-call.ts';
import type { Targets } from './targets.ts';
import { createdTask } from '../shapes/tasks.ts';
import type { Tasks } from './tasks/tasks.ts';
import { isAppCall } from './apps/app-calls.ts';
import { contentsForClient } from './apps/app-page.ts';
import { resultWithAppUris } from './apps/app-uri.ts';

/** The methods that concern a single item of a single server. The client gets the server's result. */
export function callMethods(parts: CallParts): readonly (readonly [string, Method])[] {
  const { calls, targets } = parts;
  return [
    [
      'tools/call',
      (call) =>
        callTool(parts, call, requiredParam(call.params, 'name'), optionalObject(call.params, 'arguments')),
    ],
    [
      'prompts/get',
      async (call) => {
        const { server, name } = targets.named(call, 'prompt', requiredParam(call.params, 'name'));
        return calls.getPrompt({ ...mcpServerCall(call, server), prompt: name, args: texts(call.params) });
      },
    ],
    ['resources/read', (call) => readResource(parts, call)],
    ...parts.tasks.methods(parts.endpoint, (call, { server, tool, outputSchema }, result) =>
      parts.longResults.limit(
        call,
        parts.endpoint === undefined ? resultWithAppUris(server, result) : result,
        {
          sources: [{ server, kind: 'tool', name: tool }],
          outputSchema,
          endpoint: parts.endpoint,
          isListed: parts.isListed ?? true,
        },
      ),
    ),
    [
      'completion/complete',
      async (call) => {
        const { server, ref } = await completionTarget(targets, call);
        const { _meta, ...params } = call.params;
        return calls.complete({ ...mcpServerCall(call, server), params: { ...params, ref } });
      },
    ],
  ];
}

/** What the methods of an endpoint use. */
export interface CallParts {
  readonly calls: Calls;
  readonly targets: Targets;
  readonly longResults: LongResults;
  readonly tasks: Tasks;
  /** The server in the path; undefined for all servers. */
  readonly endpoint: string | undefined;
  /** Whether lists contain the servers' tools; true by default. */
  readonly isListed?: boolean | undefined;
}

export async function callTool(
  { calls, targets, longResults, tasks, endpoint, isListed = true }: CallParts,
  call: McpCall,
  qualified: string,
  args: ShapeOfParams,
): Promise<ShapeOfParams> {
  const { server, name } = targets.named(call, 'tool', qualified);
  const isApp = isAppCall(call, server);
  const request = { ...mcpServerCall(call, server), tool: name, args, ...(isApp && { isApp }) };
  const offer = tasks.offer(call, { server, endpoint });
  const shown = (result: ToolResult): ToolResult =>
    endpoint === undefined ? resultWithAppUris(server, result) : result;
  if (longResults.limitOf(call.caller) === undefined && !offer) return shown(await calls.callTool(request));
  let tool: CalledTool | undefined;
  const onTool = (found: CalledTool): void => void (tool = found);
  const accepted = offer && { acceptsTask: true, task: offer.params };
  const received = await calls.callTool({ ...request, ...accepted, onTool });
  const state = offer && tool && createdTask(received);
  if (state && tool) return tasks.created(call, { server, endpoint, tool }, received, state);
  const result = shown(received);
  return longResults.limit(call, result, {
    sources: [{ server, kind: 'tool', name: tool?.own ?? '' }],
    outputSchema: tool?.shown['outputSchema'],
    endpoint,
    isListed,
  });
}

/**
 * Reads a resource. The contents in the response have the URI from the request, so that the client
 * can match them.
 */
async function readResource({ calls, targets, endpoint }: CallParts, call: McpCall): Promise<ShapeOfParams> {
  const requested = requiredParam(call.params, 'uri');
  const { server, uri } = await targets.resource(call, requested);
  const read = await calls.readResource({ ...mcpServerCall(call, server), uri });
  const contents = endpoint === undefined ? read.map((item) => contentsForClient(server, item)) : read;
  if (requested === uri) return { contents };
  return { contents: contents.map((item) => (item['uri'] === uri ? { ...item, uri: requested } : item)) };
}

/** Returns the server for a completion, and the reference with the server's own name or URI. */
async function completionTarget(
  targets: Targets,
  call: McpCall,
): Promise<{ server: string; ref: ShapeOfParams }> {
  const ref = optionalObject(call.params, 'ref');
  switch (ref['type']) {
    case 'ref/prompt': {
      const { server, name } = targets.named(call, 'prompt', requiredParam(ref, 'name'));
      return { server, ref: { ...ref, name } };
    }
    case 'ref/resource': {
      const { server, uri } = await targets.template(call, requiredParam(ref, 'uri'));
      return { server, ref: { ...ref, uri } };
    }
    default:
      throw new RpcError(RPC_CODE.invalidParams, '`ref.type` must be ref/prompt or ref/resource.');
  }
}

function texts(params: ShapeOfParams): Record<string, string> {
  const args = optionalObject(params, 'arguments');
  const isTexts = (value: ShapeOfParams): value is Record<string, string> =>
    isObject(value) && Object.values(value).every((item) => typeof item === 'string');
  if (isTexts(args)) return args;
  throw new RpcError(RPC_CODE.invalidParams, 'The arguments of a prompt must be strings.');
}
