import { createEventStream, type EventStream } from './event-stream.ts';
import { HTTP_ERRORS } from './http-errors.ts';
import { type HttpExchange, JSON_TYPE } from '../http/exchange.ts';
import { notification } from './mcp-session.ts';
import { createPostAnswer } from './post-answer.ts';
import { readJsonBody } from './read-message.ts';
import { RPC_CODE, RpcError } from './rpc-error.ts';
import type { Params } from './rpc-message.ts';
import {
  checkStateless,
  MISSING_CLIENT_CAPABILITY,
  type StatelessRefusal,
  type StatelessRequest,
} from './stateless-request.ts';

/** A request and the exchange for its response. */
export interface StatelessCall<Client> extends StatelessRequest {
  readonly client: Client;
  /**
   * Aborted when the client disconnects. In these protocol versions, clients cancel requests by
   * disconnecting.
   */
  readonly signal: AbortSignal;
  /** Sends a notification before the response. The response then becomes a stream. */
  readonly notify: (method: string, params: Params) => void;
}

export interface StatelessHttpOptions<Client> {
  readonly parseBody?: ((text: string) => unknown) | undefined;
  readonly maxBodyBytes?: number | undefined;
  readonly isKnown: (method: string, client: Client) => boolean;
  /** Handles a call. Rejects with an RpcError. */
  readonly answer: (call: StatelessCall<Client>) => Promise<Params>;
  /**
   * Handles the stream of a `subscriptions/listen` request. The call's signal is aborted when the
   * client disconnects from the stream.
   */
  readonly listen: (call: StatelessCall<Client>, stream: EventStream) => void;
  /**
   * Time in milliseconds after which a response becomes a stream, because a stream can be kept
   * alive. Default: one second.
   */
  readonly streamAfterMilliseconds?: number | undefined;
}

export const LISTEN_METHOD = 'subscriptions/listen';

const ONE_SECOND = 1000;

/**
 * MCP without sessions, as of revision 2026-07-28:
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports. A response is plain
 * JSON, or a stream if another message must be sent before it.
 */
export function createStatelessHttp<Client>(
  options: StatelessHttpOptions<Client>,
): (exchange: HttpExchange, client: Client) => Promise<void> {
  const { parseBody: parse, maxBodyBytes: maxBytes, isKnown, answer } = options;
  const { streamAfterMilliseconds = ONE_SECOND } = options;

  const settle = async (call: StatelessCall<Client>): Promise<{ message: object; status: number }> => {
    const { id } = call;
    try {
      return { message: { jsonrpc: '2.0', id, result: await answer(call) }, status: 200 };
    } catch (error) {
      const { code, message, data } = RpcError.from(error);
      const status = code === MISSING_CLIENT_CAPABILITY ? 400 : 200;
      return { message: rpcError({ id, code, message, data }), status };
    }
  };

  const listen = (exchange: HttpExchange, request: StatelessRequest, client: Client): void => {
    const stream = createEventStream();
    const gone = new AbortController();
    exchange.onGone(() => gone.abort());
    stream.attach(exchange);
    const notify = (method: string, params: Params): void => stream.send(notification(method, params));
    options.listen({ ...request, client, signal: gone.signal, notify }, stream);
  };

  const serve = async (exchange: HttpExchange, request: StatelessRequest, client: Client): Promise<void> => {
    const gone = new AbortController();
    const { id } = request;
    const reply = createPostAnswer({
      exchange,
      ids: [id],
      isList: false,
      headers: {},
      openStream: () => createEventStream(),
      streamAfterMilliseconds,
      onOver(outcome) {
        if (outcome === 'gone') gone.abort();
      },
    });
    const notify = (method: string, params: Params): void => reply.tell(notification(method, params));
    const { message, status } = await settle({ ...request, client, signal: gone.signal, notify });
    reply.settle(id, JSON.stringify(message), status);
  };

  return async (exchange, client) => {
    const refuse = (status: number, refusal: StatelessRefusal): void =>
      exchange.answer({ status, headers: JSON_TYPE, body: JSON.stringify(rpcError(refusal)) });
    if (exchange.method !== 'POST') return exchange.answer(HTTP_ERRORS.method(['POST']));
    const body = await readJsonBody(exchange, { parse, maxBytes });
    if ('refusal' in body) return exchange.answer(body.refusal);
    const checked = checkStateless(body.value, exchange.headers);
    // Notifications from clients are ignored, because none of them requires an action.
    if ('notification' in checked) return exchange.answer({ status: 202 });
    if ('refusal' in checked) return refuse(400, checked.refusal);
    const { id, method } = checked.request;
    if (!isKnown(method, client)) {
      return refuse(404, { id, code: RPC_CODE.methodNotFound, message: `Method not found: ${method}` });
    }
    if (method === LISTEN_METHOD) listen(exchange, checked.request, client);
    else await serve(exchange, checked.request, client);
  };
}

const rpcError = ({ id, ...error }: StatelessRefusal): object => ({ jsonrpc: '2.0', id, error });
