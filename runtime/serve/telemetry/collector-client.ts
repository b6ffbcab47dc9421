import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';

interface CollectorAnswer {
  readonly status: number;
  /** The header `Retry-After`, or an empty text. */
  readonly retryAfter: string;
  readonly text: string;
}

/** Sends JSON to a collector, over one connection that is kept open. */
export interface CollectorClient {
  /** Rejects if there is no complete response. */
  readonly post: (body: string, signal: AbortSignal) => Promise<CollectorAnswer>;
  readonly close: () => void;
}

const ANSWER_TIMEOUT_MS = 10_000;
const MAX_ANSWER_CHARACTERS = 64 * 1024;

/** Uses Node's own client, because model executables do not contain undici, which would double the size of their program. */
export function createCollectorClient(
  endpoint: string,
  headers: Readonly<Record<string, string>>,
): CollectorClient {
  const url = new URL(endpoint);
  const isSecure = url.protocol === 'https:';
  const agent = new (isSecure ? HttpsAgent : HttpAgent)({ keepAlive: true, maxSockets: 1 });
  const request = isSecure ? requestHttps : requestHttp;
  return {
    post: (body, signal) =>
      new Promise((resolve, reject) => {
        const timeout = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
        const outgoing = request(
          url,
          {
            method: 'POST',
            agent,
            signal: AbortSignal.any([signal, timeout]),
            headers: {
              'content-type': 'application/json',
              'content-length': Buffer.byteLength(body),
              ...headers,
            },
          },
          (incoming) => void readAnswer(incoming).then(resolve, reject),
        );
        outgoing.on('error', reject);
        outgoing.end(body);
      }),
    close: () => agent.destroy(),
  };
}

async function readAnswer(incoming: IncomingMessage): Promise<CollectorAnswer> {
  let text = '';
  incoming.setEncoding('utf8');
  for await (const piece of incoming) {
    text += String(piece);
    if (text.length > MAX_ANSWER_CHARACTERS)
      throw new Error('The response of the OTLP collector is too large.');
  }
  return { status: incoming.statusCode ?? 0, retryAfter: incoming.headers['retry-after'] ?? '', text };
}
