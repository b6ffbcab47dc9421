import { parseLossless } from '#core/json/lossless-json.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';

/** A JSON-RPC 2.0 message: a request, a notification or a response, depending on its members. */
export interface RpcMessage {
  readonly jsonrpc: '2.0';
  readonly id?: string | number | null | undefined;
  readonly method?: string | undefined;
  readonly params?: ShapeOfParams | undefined;
  readonly result?: unknown;
  readonly error?: RpcError | undefined;
}

interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Parses a message or a batch, which revision 2025-03-26 allows; undefined if the text is anything else. */
export function parseMessages(text: string): readonly RpcMessage[] | undefined {
  try {
    const value = parseLossless(text);
    const messages = Array.isArray(value) ? value : [value];
    return messages.length > 0 && messages.every(isMessage) ? messages : undefined;
  } catch {
    return undefined;
  }
}

/** Only checks the fields that are needed to handle a message, because many servers violate other rules. */
function isMessage(value: unknown): value is RpcMessage {
  if (typeof value !== 'object' || value === null) return false;
  if ('method' in value) return typeof value.method === 'string';
  return 'id' in value && ('result' in value || 'error' in value);
}
