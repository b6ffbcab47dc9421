import { constants } from 'node:http2';
import { type ConnectRouter, createConnectRouter } from '@connectrpc/connect';
import {
  compressionBrotli,
  compressionGzip,
  universalRequestFromNodeRequest,
  universalResponseToNodeResponse,
} from '@connectrpc/connect-node';
import type { UniversalServerRequest } from '@connectrpc/connect/protocol';
import type { Logger } from '../log.ts';
import { dropDistantDeadline } from './deadline-headers.ts';
import type { NodeRequest, NodeResponse } from './node-http.ts';
import { withPlainStatusMessage } from './status-message.ts';
import { answerPlainly, answerUnknownMethod } from './unknown-method.ts';

export interface RequestListenerOptions {
  readonly routes: (router: ConnectRouter) => void;
  readonly log: Logger;
  /** A call whose client neither sends nor takes anything for so long is given up, in milliseconds. */
  readonly idleTimeout: number;
}

export interface RequestListener {
  readonly listener: (request: NodeRequest, response: NodeResponse) => void;
  /** Ends calls that may go on for ever. */
  readonly endStreams: () => void;
}

/** Answers calls by gRPC, gRPC-Web and Connect. */
export function createRequestListener({ routes, log, idleTimeout }: RequestListenerOptions): RequestListener {
  const router = createConnectRouter({
    acceptCompression: [compressionGzip, compressionBrotli],
    // Clients always offer to take compressed answers, but vectors hardly shrink: it would cost far more than it saves.
    compressMinBytes: Number.POSITIVE_INFINITY,
  });
  routes(router);
  const handlers = new Map(router.handlers.map((handler) => [handler.requestPath, handler]));
  const services = [...new Set(router.handlers.map(({ service }) => service.typeName))];
  const streams = new Set<NodeResponse>();

  const listener = (request: NodeRequest, response: NodeResponse): void => {
    const handler = handlers.get(pathOf(request));
    if (!handler) {
      answerUnknownMethod(request, response, services);
      return;
    }
    if (handler.method.methodKind === 'unary') {
      response.setTimeout(idleTimeout, () => {
        // The model may take its time; a client may not.
        if (!request.complete || response.headersSent) abandon(response);
      });
    } else {
      streams.add(response);
      response.once('close', () => streams.delete(response));
    }
    dropDistantDeadline(request.headers);
    let call: UniversalServerRequest;
    try {
      call = universalRequestFromNodeRequest(request, response, undefined, undefined);
    } catch {
      answerPlainly(response, 400, 'The request names no host.\n');
      return;
    }
    handler(call)
      .then((answer) => universalResponseToNodeResponse(withPlainStatusMessage(answer), response))
      .catch((error: unknown) => {
        // Whatever a method throws has become an answer before; this is about the connection.
        log.debug({ err: error, method: handler.method.toString() }, 'An answer could not be delivered.');
        abandon(response);
      });
  };
  return {
    listener,
    endStreams() {
      for (const response of streams) abandon(response);
    },
  };
}

const pathOf = ({ url = '' }: NodeRequest): string => url.split('?', 1)[0] ?? '';

function abandon(response: NodeResponse): void {
  // Clients read "refused" as UNAVAILABLE.
  if ('stream' in response) response.stream.close(constants.NGHTTP2_REFUSED_STREAM);
  else response.destroy();
}
