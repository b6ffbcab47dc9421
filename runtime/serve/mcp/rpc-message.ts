import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { isObject } from '#core/json/is-object.ts';

export type RequestId = string | number;
export type Params = Readonly<Record<string, unknown>>;

/** A message from an MCP client: a JSON-RPC request, notification or response. */
export type ClientMessage =
  | { readonly kind: 'request'; readonly id: RequestId; readonly method: string; readonly params: Params }
  | { readonly kind: 'notification'; readonly method: string; readonly params: Params }
  | {
      readonly kind: 'answer';
      readonly id: RequestId;
      readonly result?: Params | undefined;
      readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
    };

/**
 * Returns the messages in a body; undefined if any of them is invalid. Only revision 2025-03-26
 * supports lists of messages.
 */
export function readClientMessages(body: unknown): readonly ClientMessage[] | undefined {
  if (!Array.isArray(body)) {
    const message = readMessage(body);
    return message && [message];
  }
  if (body.length === 0 || body.length > MAX_MESSAGES) return undefined;
  const messages = body.map(readMessage).filter((message) => message !== undefined);
  return messages.length === body.length ? messages : undefined;
}

/** Whether a value is a single JSON-RPC 2.0 message. */
export const isClientMessage = (value: unknown): value is JSONRPCMessage => readMessage(value) !== undefined;

/** Maximum number of messages in a list. */
const MAX_MESSAGES = 100;

function readMessage(value: unknown): ClientMessage | undefined {
  if (!isObject(value) || value['jsonrpc'] !== '2.0') return undefined;
  const { id, method, params = {} } = value;
  if (method !== undefined) {
    if (typeof method !== 'string' || !isObject(params)) return undefined;
    if (id === undefined) return { kind: 'notification', method, params };
    return isRequestId(id) ? { kind: 'request', id, method, params } : undefined;
  }
  if (!isRequestId(id)) return undefined;
  const { result, error } = value;
  if (isObject(result)) return { kind: 'answer', id, result };
  return isObject(error) ? { kind: 'answer', id, error: readError(error) } : undefined;
}

export const isRequestId = (id: unknown): id is RequestId =>
  typeof id === 'string' || Number.isSafeInteger(id);

const readError = ({ code, message, data }: Params): { code: number; message: string; data?: unknown } => ({
  code: Number.isSafeInteger(code) ? Number(code) : 0,
  message: String(message),
  ...(data === undefined ? {} : { data }),
});

/**
 * The fields of `_meta` since revision 2026-07-28:
 * https://modelcontextprotocol.io/specification/2026-07-28/basic#_meta
 */
export const META_KEY = {
  version: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  /** Minimum level of the log messages that the client wants to receive. */
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const;
