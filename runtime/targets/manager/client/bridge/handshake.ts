import { isObject } from '#core/json/is-object.ts';
import { RPC_CODE } from '#serve/mcp/rpc-error.ts';
import { type RpcFailure, SessionExpired } from '../../upstream/connection.ts';
import type { RpcMessage } from '../../upstream/rpc-message.ts';
import { rpcFailure } from '../../upstream/rpc-result.ts';
import type { Transport } from '../../upstream/transport.ts';

/** The part of a client's session that has to be restored when the manager was restarted. */
export interface Handshake {
  /** Explains why a request cannot be sent before `initialize`; undefined if it can. */
  problem(method: string): RpcFailure | undefined;
  /** Later messages wait for this, because each request of HTTP could overtake `initialize`. Undefined if nothing has to wait. */
  readonly running: Promise<void> | undefined;
  /** Handles a request of the client before it is sent. */
  begin(method: string): void;
  /** Handles the response to a request of the client; undefined if there is none. */
  end(request: RpcMessage, response: RpcMessage | undefined, transport?: Transport): void;
  /** Whether the client has opened a session, so that it can be restored. */
  isRepeatable(): boolean;
  /** Opens the same session again on a new connection. */
  repeat(transport: Transport): Promise<void>;
  /** Handles a response to a request of `repeat`; returns false for others. */
  receive(message: RpcMessage): boolean;
  lost(id: number, reason: Error): boolean;
}

const INITIALIZED: RpcMessage = { jsonrpc: '2.0', method: 'notifications/initialized' };

export function createHandshake(): Handshake {
  let initialize: RpcMessage | undefined;
  let running: PromiseWithResolvers<void> | undefined;
  let wasRequested = false;
  /** Requests whose effect lasts as long as the session, by their subject. */
  const lasting = new Map<string, RpcMessage>();
  const repeated = new Map<number, PromiseWithResolvers<RpcMessage>>();
  let lastId = 0;

  /** Sends a request with an ID below those of the client's requests. */
  const request = (transport: Transport, message: RpcMessage): Promise<RpcMessage> => {
    lastId -= 1;
    const response = Promise.withResolvers<RpcMessage>();
    repeated.set(lastId, response);
    transport.send({ ...message, id: lastId });
    return response.promise;
  };

  return {
    get running() {
      return running?.promise;
    },
    problem(method) {
      if (method === 'initialize' || wasRequested) return undefined;
      const isUnknown = method === 'server/discover';
      const code = isUnknown ? RPC_CODE.methodNotFound : RPC_CODE.invalidRequest;
      const message = isUnknown
        ? `Method not found: ${method}`
        : `Invalid request: send \`initialize\` before \`${method}\`.`;
      return rpcFailure({ code, message });
    },
    begin(method) {
      if (method !== 'initialize') return;
      wasRequested = true;
      running ??= Promise.withResolvers();
    },
    end(message, response, transport) {
      const { method, params } = message;
      const result = isObject(response?.result) ? response.result : undefined;
      if (method === 'initialize') {
        if (result && !initialize) {
          initialize = message;
          transport?.useProtocol(String(result['protocolVersion']));
        }
        if (!initialize) wasRequested = false;
        running?.resolve();
        running = undefined;
      }
      if (!result) return;
      if (method === 'logging/setLevel') lasting.set('level', message);
      if (method === 'resources/subscribe') lasting.set(`uri ${String(params?.['uri'])}`, message);
      if (method === 'resources/unsubscribe') lasting.delete(`uri ${String(params?.['uri'])}`);
    },
    isRepeatable: () => initialize !== undefined,
    async repeat(transport) {
      if (!initialize) return;
      const { result, error } = await request(transport, initialize);
      if (!isObject(result)) throw rpcFailure(error);
      transport.useProtocol(String(result['protocolVersion']));
      transport.send(INITIALIZED);
      // A server that no longer exists cannot be subscribed to, which the client learns from the changed lists.
      for (const message of lasting.values()) request(transport, message).catch(() => undefined);
    },
    receive(message) {
      const { id } = message;
      if (typeof id !== 'number') return false;
      const waiting = repeated.get(id);
      repeated.delete(id);
      waiting?.resolve(message);
      return waiting !== undefined;
    },
    lost(id, reason) {
      const waiting = repeated.get(id);
      repeated.delete(id);
      waiting?.reject(reason instanceof SessionExpired ? new Error(reason.message) : reason);
      return waiting !== undefined;
    },
  };
}
