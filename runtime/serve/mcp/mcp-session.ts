import { OpenItems } from '#core/limits/open-items.ts';
import { createClientRequests } from './client-requests.ts';
import type { PostAnswer } from './post-answer.ts';
import { RPC_CODE, RpcError } from './rpc-error.ts';
import { type ClientMessage, isRequestId, type Params, type RequestId } from './rpc-message.ts';
import type { SessionRequest, SessionServer } from './session-server.ts';

/** The messages of one session: matches requests and responses in both directions. */
export interface McpSession<Client> {
  /** Handles a message. A request is answered through `answer`, possibly much later. */
  take(message: ClientMessage, client: Client, answer: PostAnswer): void;
  /** Cancels a request like the client's own notification. */
  readonly cancel: (id: RequestId) => void;
  /** Called when the client has disconnected from the response to its requests. */
  readonly lose: (answer: PostAnswer) => void;
  /** Resolves when every request is answered or cancelled. */
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
