import { HTTP_ERRORS } from './http-errors.ts';
import { type EventStream, openEventStream } from './event-stream.ts';
import { readMessage } from './read-message.ts';
import { RPC_CODE, RpcError } from './rpc-error.ts';
import { checkStateless, type StatelessRefusal, type StatelessRequest } from './stateless-request.ts';

type Result = Readonly<Record<string, unknown>>;

/** A request and what it is answered over. */
export interface StatelessCall<Client> extends StatelessRequest {
  readonly client: Client;
  /** Aborted when the client has left, which is how a client of these versions cancels. */
  readonly signal: AbortSignal;
  readonly onProgress?: ((progress: Result) => void) | undefined;
}

export interface StatelessHttpOptions<Client> {
  readonly parseBody?: ((text: string) => unknown) | undefined;
  readonly maxBodyBytes?: number | undefined;
  readonly isKnown: (method: string, client: Client) => boolean;
  /** Rejects with an RpcError. */
  readonly answer: (call: StatelessCall<Client>) => Promise<Result>;
  /** The stream of a `subscriptions/listen`; told when the client has left it. */
  readonly listen: (call: StatelessCall<Client>, stream: EventStream) => void;
}

export const LISTEN_METHOD = 'subscriptions/listen';

/**
 * MCP without sessions, as from revision 2026-07-28 on: https://modelcontextprotocol.io/specification/2026-07-28/basic/transports.
 * An answer is plain JSON, or a stream if the client wants to hear of progress.
 */
export function createStatelessHttp<Client>(
  options: StatelessHttpOptions<Client>,
): (request: Request, client: Client) => Promise<Response> {
  const { parseBody = JSON.parse, maxBodyBytes, isKnown, answer } = options;

  const settle = async (call: StatelessCall<Client>): Promise<object> => {
    try {
      return { jsonrpc: '2.0', id: call.id, result: await answer(call) };
    } catch (error) {
      const { code, message, data } = RpcError.from(error);
      return rpcError({ id: call.id, code, message, data });
    }
  };

  const finish = async (call: StatelessCall<Client>, events: EventStream): Promise<void> => {
    events.send(await settle(call));
    events.end();
  };

  const stream = (request: StatelessRequest, client: Client): Response => {
    const gone = new AbortController();
    const events = openEventStream({ onGone: () => gone.abort() });
    const onProgress = (progress: Result): void =>
      events.send({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { ...progress, progressToken: request.progressToken },
      });
    const call = { ...request, client, signal: gone.signal, onProgress };
    if (request.method === LISTEN_METHOD) {
      options.listen(call, events);
    } else {
      void finish(call, events);
    }
    return events.response;
  };

  return async (request, client) => {
    if (request.method !== 'POST') return HTTP_ERRORS.method(['POST']);
    if (!isJson(request)) return HTTP_ERRORS.notJsonType();
    const body = await readMessage(request, { parse: parseBody, maxBytes: maxBodyBytes });
    if ('refusal' in body) return body.refusal;
    const checked = checkStateless(body.message, request.headers);
    // There is nothing that a client would have to notify us of.
    if ('notification' in checked) return new Response(null, { status: 202 });
    if ('refusal' in checked) return Response.json(rpcError(checked.refusal), { status: 400 });
    const { id, method, progressToken } = checked.request;
    if (!isKnown(method, client)) {
      const message = `Method not found: ${method}`;
      return Response.json(rpcError({ id, code: RPC_CODE.methodNotFound, message }), { status: 404 });
    }
    const streams = progressToken !== undefined || method === LISTEN_METHOD;
    if (streams) return stream(checked.request, client);
    return Response.json(await settle({ ...checked.request, client, signal: request.signal }));
  };
}

const rpcError = ({ id, ...error }: StatelessRefusal): object => ({ jsonrpc: '2.0', id, error });

const isJson = (request: Request): boolean =>
  /^application\/json\s*(;|$)/i.test(request.headers.get('content-type') ?? '');
