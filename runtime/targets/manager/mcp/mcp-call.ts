import { isObject } from '#core/json/is-object.ts';
import { AppError } from '#contract/errors.ts';
import { META_KEY } from '#serve/mcp/rpc-message.ts';
import { RPC_CODE, RpcError } from '#serve/mcp/rpc-error.ts';
import type { ToolCaller } from '../access/caller.ts';
import type { CallHeaders, ServerCall } from '../calls/call.ts';
import type { QualifiedName } from '../calls/tool-catalog.ts';
import type { ReceivedRequest } from '../plugins/received-request.ts';
import type { Requester } from '../upstream/connection.ts';
import { APP_KEY } from './apps/app-key.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';

/** An MCP client's request, independent of the transport. */
export interface McpCall {
  readonly caller: ToolCaller;
  readonly requestId: string;
  readonly headers?: CallHeaders | undefined;
  /** The HTTP request as it arrived; only if plugins inspect the calls of scripts. */
  readonly received?: ReceivedRequest | undefined;
  readonly params: ShapeOfParams;
  /** The item identified by the parameters, if already resolved. */
  readonly target?: QualifiedName | undefined;
  readonly signal: AbortSignal;
  /** The client's session: the same object for all its requests; undefined for clients without sessions. */
  readonly session?: object | undefined;
  /** The client's capabilities. */
  readonly capabilities?: ShapeOfParams | undefined;
  /** Reports progress; undefined if the client did not request it. */
  readonly onProgress?: ((progress: ShapeOfParams) => void) | undefined;
  /** The client that servers can send requests to during the call; undefined if that is impossible. */
  readonly requester?: Requester | undefined;
}

/** Handles requests for one method. */
export type Method = (call: McpCall) => Promise<ShapeOfParams>;

export type Methods = ReadonlyMap<string, Method>;

export const mcpServerCall = (
  { params, session: _session, capabilities: _capabilities, received: _received, ...call }: McpCall,
  server: string,
): ServerCall => {
  const meta = ownMeta(params['_meta']);
  return { ...call, server, ...(meta === undefined ? {} : { meta }) };
};

/**
 * Returns the `_meta` for the server. The progress token and protocol keys are removed, because they belong
 * to the client's connection.
 */
function ownMeta(meta: unknown): ShapeOfParams | undefined {
  if (!isObject(meta)) return undefined;
  const entries = Object.entries(meta).filter(
    ([key]) =>
      key === META_KEY.logLevel ||
      (key !== 'progressToken' && key !== APP_KEY && !key.startsWith('io.modelcontextprotocol/')),
  );
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** Creates the function that reports progress to the client with its token; undefined if the request has no token. */
export function progressTo(
  { _meta }: ShapeOfParams,
  notify: (method: string, params: ShapeOfParams) => void,
): McpCall['onProgress'] {
  const progressToken = isObject(_meta) ? _meta['progressToken'] : undefined;
  if (typeof progressToken !== 'string' && typeof progressToken !== 'number') return undefined;
  return (progress) => notify('notifications/progress', { ...progress, progressToken });
}

export function requiredParam(params: ShapeOfParams, name: string): string {
  const value = params[name];
  if (typeof value === 'string') return value;
  throw new RpcError(RPC_CODE.invalidParams, `\`${name}\` must be a string.`);
}

export function optionalParam(params: ShapeOfParams, name: string): string | undefined {
  return params[name] === undefined ? undefined : requiredParam(params, name);
}

export function optionalObject(params: ShapeOfParams, name: string): ShapeOfParams {
  const value = params[name] ?? {};
  if (isObject(value)) return value;
  throw new RpcError(RPC_CODE.invalidParams, `\`${name}\` must be an object.`);
}

/** Whether an error indicates that the server does not support the method. */
export const isNotImplemented = (reason: unknown): boolean =>
  reason instanceof AppError && reason.code === 'NotImplementedError';
