import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OpenHold } from '../../memory/hold-of.ts';
import { tooLargeError } from '../read-bytes.ts';
import { readIncoming } from '../read-incoming.ts';
import type { HttpAnswer, HttpExchange } from './exchange.ts';
import { writePieces } from './write-pieces.ts';

export interface NodeExchangeParts {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** Names and values of headers of every response, alternating: Node copies the headers of an object twice. */
  readonly head: readonly string[];
  readonly hold: OpenHold;
}

/** Maximum number of buffered bytes for a client that does not read. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;
/** The server's own limit for a whole request. */
const BODY_TIMEOUT_MS = 120_000;

/** Handles a request of known length on Node's own request and response; resolves when the response has started. */
export async function answerIncoming(
  { incoming, outgoing, head, hold }: NodeExchangeParts,
  handle: (exchange: HttpExchange) => Promise<void>,
): Promise<void> {
  const begun = Promise.withResolvers<void>();
  const { headers, method = '', url = '' } = incoming;
  const set = new Map<string, string>();
  const begin = (status: number, own: NonNullable<HttpAnswer['headers']>, ...more: string[]): boolean => {
    begun.resolve();
    // Node reports writes to a disconnected client as errors.
    if (outgoing.destroyed) return false;
    outgoing.writeHead(status, [...head, ...[...set].flat(), ...Object.entries(own).flat(), ...more]);
    return true;
  };
  const exchange: HttpExchange = {
    method,
    url,
    headers: { get: (name) => headers[name.toLowerCase()]?.toString() ?? null },
    async readBody({ maxBodyBytes, timeoutMs = BODY_TIMEOUT_MS, tooLargeMessage }) {
      const body = await readIncoming(incoming, timeoutMs, hold());
      if (body.length > maxBodyBytes) throw tooLargeError(maxBodyBytes, tooLargeMessage);
      return body;
    },
    hold,
    setHeader: (name, value) => void set.set(name, value),
    answer({ status, headers: own = {}, body = '' }) {
      if (begin(status, own, 'Content-Length', String(Buffer.byteLength(body)))) outgoing.end(body);
    },
    stream(own) {
      if (begin(200, own)) outgoing.flushHeaders();
      return {
        write(text) {
          if (outgoing.destroyed) return;
          outgoing.write(text);
          if (outgoing.writableLength > MAX_UNREAD_BYTES) outgoing.destroy();
        },
        end() {
          if (!outgoing.destroyed) outgoing.end();
        },
      };
    },
    sendPieces(own, source, keepAlive) {
      if (begin(200, own)) void writePieces(outgoing, source, keepAlive);
      else void source.cancel();
    },
    onGone(listener) {
      if (outgoing.destroyed) queueMicrotask(listener);
      else {
        outgoing.once('close', () => {
          if (!outgoing.writableFinished) listener();
        });
      }
    },
  };
  try {
    await handle(exchange);
  } catch (error) {
    for (const [name, value] of set) outgoing.setHeader(name, value);
    throw error;
  }
  await begun.promise;
}
