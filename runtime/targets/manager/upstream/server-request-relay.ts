import type { OpenItems } from '#core/limits/open-items.ts';
import { RpcError } from '#serve/mcp/rpc-error.ts';
import type { Requester } from './connection.ts';
import type { Params } from '../shapes/shape.ts';
import type { RpcMessage } from './rpc-message.ts';
import { requestFromClient, chooseRequester, type ServerRequest } from './server-requests.ts';

/** A request to the server in flight. */
export interface OpenRequest {
  readonly requester: Requester | undefined;
  /** Pauses its timeout until the returned function is called. */
  readonly hold: () => () => void;
}

export interface ServerRequestRelayOptions {
  readonly send: (message: RpcMessage) => void;
  readonly open: Pick<OpenItems<unknown, OpenRequest>, 'get' | 'values'>;
}

/** Forwards requests of a server to the client of the related call. The server always gets a response. */
export interface ServerRequestRelay {
  /** Forwards a request. `related` is the ID of the call on whose stream it arrived, if that is known. */
  handle(id: RpcMessage['id'], request: ServerRequest, related: number | undefined): Promise<void>;
  /** Cancels a request, because the server does not need the response any more. */
  cancel(id: unknown): void;
  end(): void;
}

export function createServerRequestRelay({ send, open }: ServerRequestRelayOptions): ServerRequestRelay {
  const forwarded = new Map<unknown, AbortController>();
  const forward = async (
    request: ServerRequest,
    related: number | undefined,
    stop: AbortSignal,
  ): Promise<Params> => {
    const inFlight = open.values().flatMap(({ requester }) => requester ?? []);
    const requester = chooseRequester(request.method, open.get(related)?.requester, inFlight);
    const release = open
      .values()
      .filter((call) => call.requester?.identity === requester.identity)
      .map((call) => call.hold());
    try {
      return await requestFromClient(requester, request, stop);
    } finally {
      for (const resume of release) resume();
    }
  };
  return {
    async handle(id, request, related) {
      if (request.method === 'ping') return send({ jsonrpc: '2.0', id, result: {} });
      const stop = new AbortController();
      forwarded.set(id, stop);
      try {
        const result = await forward(request, related, stop.signal);
        if (!stop.signal.aborted) send({ jsonrpc: '2.0', id, result });
      } catch (error) {
        const { code, message, data } = RpcError.from(error);
        if (!stop.signal.aborted) {
          send({ jsonrpc: '2.0', id, error: { code, message, data } });
        }
      } finally {
        forwarded.delete(id);
      }
    },
    cancel: (id) => forwarded.get(id)?.abort(),
    end() {
      for (const stop of forwarded.values()) stop.abort();
    },
  };
}
