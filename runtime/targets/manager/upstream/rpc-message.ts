import { parseLossless } from '../../../core/json/lossless-json.ts';
import type { Params } from '../shapes/shape.ts';

/** A JSON-RPC 2.0 message: a request, a notification or an answer, told apart by what it has. */
export interface RpcMessage {
  readonly jsonrpc: '2.0';
  readonly id?: string | number | null | undefined;
  readonly method?: string | undefined;
  readonly params?: Params | undefined;
  readonly result?: unknown;
  readonly error?: RpcError | undefined;
}

interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The messages in a text, one or a batch of them (revision 2025-03-26 has batches); undefined if it is something else. */
export function parseMessages(text: string): readonly RpcMessage[] | undefined {
  try {
    const value = parseLossless(text);
    const messages = Array.isArray(value) ? value : [value];
    return messages.length > 0 && messages.every(isMessage) ? messages : undefined;
  } catch {
    return undefined;
  }
}

/** No more is asked of a message than is needed to handle it: many servers are careless with the rest. */
function isMessage(value: unknown): value is RpcMessage {
  if (typeof value !== 'object' || value === null) return false;
  if ('method' in value) return typeof value.method === 'string';
  return 'id' in value && ('result' in value || 'error' in value);
}
