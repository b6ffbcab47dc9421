import { Agent as HttpAgent, get as getHttp, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, get as getHttps } from 'node:https';
import { proxyVariables } from './proxy-variables.ts';

/** A response with any status. Its body must be read or discarded. */
export interface HttpResponse {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  readonly body: AsyncIterable<Uint8Array>;
  readonly discard: () => void;
}

interface HttpRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Maximum time without receiving a byte from the server. */
  readonly idleMs: number;
  readonly signal?: AbortSignal | undefined;
}

export interface HttpClient {
  /** Sends a GET request without following redirects. Rejects if there is no response. */
  get(request: HttpRequest): Promise<HttpResponse>;
  close(): void;
}

/** Error code if the server stops sending data. */
export const IDLE = 'EIDLE';

/**
 * Creates a client on Node's own HTTP, so that the build tool does not have to include undici.
 * Proxies come from the environment variables.
 */
export function createHttpClient(env: NodeJS.ProcessEnv): HttpClient {
  const agents = createAgents(env);
  return {
    get: (request) => send(request, agents),
    close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

interface Agents {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
}

function createAgents(env: NodeJS.ProcessEnv): Agents {
  const options = { keepAlive: true, proxyEnv: proxyVariables(env) };
  return { http: new HttpAgent(options), https: new HttpsAgent(options) };
}

async function send({ url, headers, idleMs, signal }: HttpRequest, agents: Agents): Promise<HttpResponse> {
  const options = { headers, ...(signal ? { signal } : {}) };
  const request =
    url.protocol === 'https:'
      ? getHttps(url, { ...options, agent: agents.https })
      : getHttp(url, { ...options, agent: agents.http });
  const disarm = arm(idleMs, (error) => request.destroy(error));
  try {
    const message = await new Promise<IncomingMessage>((resolve, reject) => {
      request.once('response', resolve).on('error', reject);
    });
    return {
      status: message.statusCode ?? 0,
      header: (name) => textOf(message.headers[name]),
      body: readBody(message, idleMs),
      discard: () => void message.destroy(),
    };
  } finally {
    disarm();
  }
}

/**
 * The timer only runs while the reader waits for the server, so that a slow disk does not cause a
 * timeout.
 */
async function* readBody(message: IncomingMessage, idleMs: number): AsyncGenerator<Uint8Array> {
  const wait = (): (() => void) => arm(idleMs, (error) => message.destroy(error));
  let disarm = wait();
  try {
    for await (const chunk of message as AsyncIterable<Uint8Array>) {
      disarm();
      yield chunk;
      disarm = wait();
    }
  } finally {
    disarm();
  }
}

function arm(milliseconds: number, expire: (error: Error) => void): () => void {
  const error = Object.assign(new Error('No data arrived in time'), { code: IDLE });
  const timer = setTimeout(expire, milliseconds, error);
  return () => clearTimeout(timer);
}

const textOf = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(', ') : value;
