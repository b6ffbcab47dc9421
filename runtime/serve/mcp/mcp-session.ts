import { OpenItems } from '#core/limits/open-items.ts';
import type { PostAnswer } from './post-answer.ts';
import { RPC_CODE, RpcError } from './rpc-error.ts';
import { type ClientMessage, isRequestId, type Params, type RequestId } from './rpc-message.ts';
import type { SessionRequest, SessionServer } from './session-server.ts';
import { AppError } from '#contract/errors.ts';

/** Handles the messages of one session, and matches requests with responses in both directions. */
export interface McpSession<Client> {
  /** Handles a message. The response to a request is passed to `answer`, possibly much later. */
  take(message: ClientMessage, client: Client, answer: PostAnswer): void;
  /** Cancels a request, like a cancellation notification from the client. */
  readonly cancel: (id: RequestId) => void;
  /** To be called when the client has disconnected from the response to its requests. */
  readonly lose: (answer: PostAnswer) => void;
  /** Resolves when every request is completed or cancelled. */
  readonly settled: () => Promise<void>;
  close(): void;
}

interface Running {
  readonly stop: AbortController;
  readonly answer: PostAnswer;
}

export function createMcpSession<Client>(server: SessionServer<Client>): McpSession<Client> {
  const running = new OpenItems<RequestId, Running>();
  const asked = createClientRequests();
  let waiting: (() => void)[] = [];

  const settle = (id: RequestId, one: Running, json?: string): void => {
    if (running.get(id) === one) running.delete(id);
    one.answer.settle(id, json);
    if (running.size > 0) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  };
  const run = async (request: SessionRequest<Client>, one: Running): Promise<void> => {
    const { id, method, signal } = request;
    let json: string;
    try {
      const result = method === 'ping' ? {} : await server.answer(request);
      json = JSON.stringify({ jsonrpc: '2.0', id, result });
    } catch (error) {
      const { code, message, data } = RpcError.from(error);
      json = JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } });
    }
    if (!signal.aborted) settle(id, one, json);
  };
  const cancel = (id: RequestId): void => {
    const one = running.get(id);
    if (!one) return;
    one.stop.abort();
    settle(id, one);
  };

  return {
    take(message, client, answer) {
      switch (message.kind) {
        case 'request': {
          const { id, method, params } = message;
          const one = { stop: new AbortController(), answer };
          const { signal } = one.stop;
          running.set(id, one);
          void run({ id, method, params, client, signal, ...waysOf(one) }, one);
          return;
        }
        case 'notification':
          if (message.method === 'notifications/cancelled' && isRequestId(message.params['requestId']))
            cancel(message.params['requestId']);
          return;
        case 'answer':
          asked.settle(message);
      }
    },
    cancel,
    lose: asked.lose,
    settled: () => (running.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    close() {
      asked.end();
      for (const id of running.keys()) cancel(id);
      server.close?.();
    },
  };

  function waysOf({ answer, stop }: Running): Pick<SessionRequest<Client>, 'notify' | 'ask'> {
    return {
      notify(method: string, params?: Params) {
        if (!stop.signal.aborted) answer.tell(notification(method, params));
      },
      ask(method, params, { signal, timeoutMs }) {
        if (answer.isLost())
          return Promise.reject(new RpcError(RPC_CODE.invalidRequest, 'Client disconnected.'));
        const both = AbortSignal.any([signal, stop.signal]);
        return asked.ask(method, params, { signal: both, timeoutMs, way: answer });
      },
    };
  }
}

export const notification = (method: string, params?: Params): string =>
  JSON.stringify({ jsonrpc: '2.0', method, ...(params && { params }) });

interface AskOptions {
  /** Aborted when the result is no longer needed. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** The connection to the client. */
  readonly way: Way;
}

/** An open connection to a client. */
interface Way {
  /** Sends a JSON message. */
  readonly tell: (json: string) => void;
}

/** Sends requests from a server to its client. */
interface ClientRequests {
  /** Sends a request. Rejects with the client's error, or with an AppError if there is no response. */
  ask(method: string, params: Params | undefined, options: AskOptions): Promise<Params>;
  /** Handles a response. A response without an open request is too late or a client error, and is ignored. */
  settle(answer: Extract<ClientMessage, { kind: 'answer' }>): void;
  /** Rejects the requests that were sent over a connection that has been lost. */
  readonly lose: (way: Way) => void;
  /** Rejects all requests, because the client has disconnected. */
  end(): void;
}

interface Waiting {
  readonly way: Way;
  readonly resolve: (result: Params) => void;
  readonly reject: (error: Error) => void;
}

function createClientRequests(): ClientRequests {
  const waiting = new Map<unknown, Waiting>();
  let lastId = 0;
  let ended = false;
  const gone = (): AppError => new AppError('CancelledError', 'Client disconnected.');

  return {
    async ask(method, params, { signal, timeoutMs, way }) {
      if (ended) throw gone();
      signal.throwIfAborted();
      lastId += 1;
      const id = lastId;
      const { promise, resolve, reject } = Promise.withResolvers<Params>();
      const giveUp = (reason: Error): void => {
        const cancelled = { requestId: id, reason: reason.message };
        way.tell(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: cancelled }));
        reject(reason);
      };
      const onAbort = (): void => giveUp(new AppError('CancelledError', 'Request canceled.'));
      const timer = setTimeout(() => {
        const seconds = Math.round(timeoutMs / 1000);
        giveUp(new AppError('TimeoutError', `The client did not respond to ${method} within ${seconds} s.`));
      }, timeoutMs);
      signal.addEventListener('abort', onAbort, { once: true });
      waiting.set(id, { way, resolve, reject });
      try {
        way.tell(JSON.stringify({ jsonrpc: '2.0', id, method, ...(params && { params }) }));
        return await promise;
      } finally {
        waiting.delete(id);
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
      }
    },
    settle({ id, result, error }) {
      if (error) waiting.get(id)?.reject(new RpcError(error.code, error.message, { data: error.data }));
      else waiting.get(id)?.resolve(result ?? {});
    },
    lose(way) {
      for (const one of waiting.values()) if (one.way === way) one.reject(gone());
    },
    end() {
      ended = true;
      for (const { reject } of waiting.values()) reject(gone());
    },
  };
}
