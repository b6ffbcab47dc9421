import type { IncomingMessage, ServerResponse } from 'node:http';
import { readIncoming } from '../http/read-incoming.ts';
import type { HttpExchange } from './http-exchange.ts';

export interface NodeExchangeParts {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** Timeout for the body in milliseconds. */
  readonly bodyTimeoutMs: number;
}

/** Maximum number of buffered bytes for a client that does not read. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

/** Handles a request of known length on Node's own request and response; resolves when the response has started. */
export async function answerIncoming(
  { incoming, outgoing, bodyTimeoutMs }: NodeExchangeParts,
  handle: (exchange: HttpExchange) => Promise<void>,
): Promise<void> {
  const begun = Promise.withResolvers<void>();
  const { headers, method = '', url = '' } = incoming;
  await handle({
    method,
    url,
    headers: { get: (name) => headers[name.toLowerCase()]?.toString() ?? null },
    async readBody(maxBytes) {
      const body = await readIncoming(incoming, bodyTimeoutMs);
      return body.length <= maxBytes ? body : undefined;
    },
    answer({ status, headers: sent = {}, body = '' }) {
      begun.resolve();
      // Node reports writes to a disconnected client as errors.
      if (outgoing.destroyed) return;
      outgoing.writeHead(status, { ...sent, 'content-length': Buffer.byteLength(body) });
      outgoing.end(body);
    },
    stream(sent) {
      begun.resolve();
      if (!outgoing.destroyed) {
        outgoing.writeHead(200, sent);
        outgoing.flushHeaders();
      }
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
    onGone: (listener) =>
      void outgoing.once('close', () => {
        if (!outgoing.writableFinished) listener();
      }),
  });
  await begun.promise;
}
