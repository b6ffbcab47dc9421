import { isObject } from '../../../core/json/is-object.ts';
import { AppError } from '../../../contract/errors.ts';
import { META_KEY } from '../../../serve/mcp/meta-key.ts';
import { RPC_CODE, RpcError } from '../../../serve/mcp/rpc-error.ts';
import type { Caller } from '../access/caller.ts';
import type { ServerCall } from '../calls/call.ts';
import type { QualifiedName } from '../calls/qualified-name.ts';
import type { Asker } from '../upstream/connection.ts';
import type { Params } from '../shapes/shape.ts';

/** A request of an MCP client, whatever carried it. */
export interface McpCall {
  readonly caller: Caller;
  readonly requestId: string;
  readonly params: Params;
  /** What the parameters name, if that has been found already. */
  readonly target?: QualifiedName | undefined;
  readonly signal: AbortSignal;
  /** Only if the client wants to be told. */
  readonly onProgress?: ((progress: Params) => void) | undefined;
  /** Whom a server may ask things because of it; without one nobody. */
  readonly asker?: Asker | undefined;
}

/** What answers the requests of one kind. */
export type Method = (call: McpCall) => Promise<Params>;

export type Methods = ReadonlyMap<string, Method>;

export const serverCall = ({ params, ...call }: McpCall, server: string): ServerCall => {
  const meta = ownMeta(params['_meta']);
  return { ...call, server, ...(meta === undefined ? {} : { meta }) };
};

/** The token is the connection's to choose, and the other keys of the protocol are about the connection that carried them. */
function ownMeta(meta: unknown): Params | undefined {
  if (!isObject(meta)) return undefined;
  const entries = Object.entries(meta).filter(
    ([key]) =>
      key === META_KEY.logLevel || (key !== 'progressToken' && !key.startsWith('io.modelcontextprotocol/')),
  );
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** Reports go to the client under the token it chose. */
export function progressTo(
  { _meta }: Params,
  notify: (method: string, params: Params) => void,
): McpCall['onProgress'] {
  const progressToken = isObject(_meta) ? _meta['progressToken'] : undefined;
  if (typeof progressToken !== 'string' && typeof progressToken !== 'number') return undefined;
  return (progress) => notify('notifications/progress', { ...progress, progressToken });
}

export function requiredText(params: Params, name: string): string {
  const value = params[name];
  if (typeof value === 'string') return value;
  throw new RpcError(RPC_CODE.invalidParams, `\`${name}\` must be a string.`);
}

export function optionalText(params: Params, name: string): string | undefined {
  return params[name] === undefined ? undefined : requiredText(params, name);
}

export function optionalObject(params: Params, name: string): Params {
  const value = params[name] ?? {};
  if (isObject(value)) return value;
  throw new RpcError(RPC_CODE.invalidParams, `\`${name}\` must be an object.`);
}

/** Whether a failure only says that the server does not have this at all. */
export const isNotImplemented = (reason: unknown): boolean =>
  reason instanceof AppError && reason.code === 'NotImplementedError';
