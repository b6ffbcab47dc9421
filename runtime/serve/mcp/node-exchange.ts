import type { IncomingMessage, ServerResponse } from 'node:http';
import { readIncoming } from '../http/read-incoming.ts';
import type { HttpExchange } from './http-exchange.ts';

export interface NodeExchangeParts {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** How long the body may take to arrive. */
  readonly bodyTimeoutMs: number;
}

/** What a client that does not read may let pile up. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

/** Handles a request whose length is known on Node's own request and answer; resolves when the answer has begun. */
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
      // Node takes what is written to a client that left for a fault of ours.
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
