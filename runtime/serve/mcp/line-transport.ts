import type { Readable, Writable } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { parseJsonText } from '#core/json/json-text.ts';
import { createLineSplitter, type Line } from './line-splitter.ts';
import { RPC_CODE } from './rpc-error.ts';
import { isClientMessage, isRequestId } from './rpc-message.ts';

export interface LineTransportOptions {
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Maximum line length. Longer lines cause an error response. Default: 10 MiB, as in the SDK. */
  readonly maxLineBytes?: number | undefined;
  /** Parses lines, for example in a way that preserves all digits of numbers. Default: like `JSON.parse`. */
  readonly parse?: ((text: string) => unknown) | undefined;
  /** Aborted to stop reading. */
  readonly signal?: AbortSignal | undefined;
}

export interface LineTransport extends Transport {
  /**
   * Handles a list of messages; returns false if the list is invalid. Default: lists are rejected
   * as invalid.
   */
  onlist?: ((messages: readonly unknown[]) => boolean) | undefined;
  /**
   * Resolves when no more input is read, because the client has closed stdin or `signal` has been
   * aborted.
   */
  readonly finished: Promise<void>;
  /** Resolves when no more output can be written. If this was caused by an error, resolves with the error. */
  readonly gone: Promise<Error | undefined>;
  /** Sends a message that is already JSON. */
  sendText(json: string): Promise<void>;
  /** Resolves when all messages have been written. */
  flushed(): Promise<void>;
}

const DEFAULT_MAX_LINE_BYTES = 10 * 1024 * 1024;

/**
 * MCP over stdio: one JSON-RPC message per line. Unlike the SDK's transport, it reports malformed
 * lines to the client, continues after lines that are too long, and stops reading input while the
 * client does not read the output.
 */
export function createLineTransport(options: LineTransportOptions): LineTransport {
  const { stdin, stdout, signal, maxLineBytes = DEFAULT_MAX_LINE_BYTES, parse = parseJsonText } = options;
  const splitter = createLineSplitter(maxLineBytes);
  const finished = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<Error | undefined>();
  let reading = true;

  const write = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      stdout.write(text, (error) => (error ? reject(error) : resolve()));
    });
  const sendText = (json: string): Promise<void> => write(`${json}\n`);
  const send = (message: unknown): Promise<void> => sendText(JSON.stringify(message));
  const take = (line: Line): void => {
    const received = readMessage(line, { maxLineBytes, parse });
    if (received === undefined) return;
    if ('list' in received && transport.onlist?.(received.list) === true) return;
    if ('message' in received) transport.onmessage?.(received.message);
    else send({ jsonrpc: '2.0', id: received.id, error: received.error }).catch(() => undefined);
  };

  const stopReading = (): void => {
    reading = false;
    stdin.off('data', onData).pause();
    finished.resolve();
  };
  const onData = (chunk: Buffer | string): void => {
    splitter.push(Buffer.from(chunk)).forEach(take);
    if (!stdout.writableNeedDrain) return;
    stdin.pause();
    stdout.once('drain', () => {
      if (reading) stdin.resume();
    });
  };
  const onEnd = (): void => {
    if (reading) splitter.end().forEach(take);
    stopReading();
  };

  const transport: LineTransport = {
    finished: finished.promise,
    gone: gone.promise,
    flushed: () => write('').catch(() => undefined),
    async start() {
      // A broken pipe means that the client has disconnected. The listeners are never removed, so
      // that a broken pipe cannot terminate the process.
      stdout.on('error', gone.resolve).on('close', () => gone.resolve(undefined));
      stdin.on('error', onEnd).on('close', onEnd).on('end', onEnd).on('data', onData);
      signal?.addEventListener('abort', stopReading, { once: true });
      if (signal?.aborted) stopReading();
    },
    send,
    sendText,
    async close() {
      stopReading();
      transport.onclose?.();
    },
  };
  return transport;
}

interface Complaint {
  /** ID of the request that caused the error, if known. */
  readonly id: string | number | null;
  readonly error: { readonly code: number; readonly message: string };
  /** The messages in a line that contains a list. */
  readonly list?: readonly unknown[];
}

function readMessage(
  line: Line,
  { maxLineBytes, parse }: { readonly maxLineBytes: number; readonly parse: (text: string) => unknown },
): { readonly message: JSONRPCMessage } | Complaint | undefined {
  if ('tooLong' in line) {
    const message = `Message too large: the maximum is ${maxLineBytes} bytes.`;
    return { id: null, error: { code: RPC_CODE.invalidRequest, message } };
  }
  if (line.text.trim() === '') return undefined;
  let value: unknown;
  try {
    value = parse(line.text);
  } catch {
    return {
      id: null,
      error: { code: RPC_CODE.parseError, message: 'Parse error: the line is not valid JSON.' },
    };
  }
  if (isClientMessage(value)) return { message: value };
  const message = 'Invalid request: the line is not a JSON-RPC 2.0 message.';
  const list = Array.isArray(value) ? { list: value } : {};
  return { id: requestId(value), error: { code: RPC_CODE.invalidRequest, message }, ...list };
}

/**
 * Only returns the IDs of requests, because an error with the ID of a malformed response would look
 * like the response to another request.
 */
function requestId(value: unknown): string | number | null {
  if (typeof value !== 'object' || value === null || !('method' in value) || !('id' in value)) return null;
  return isRequestId(value.id) ? value.id : null;
}
