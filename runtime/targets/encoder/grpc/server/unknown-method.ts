import { Code } from '@connectrpc/connect';
import type { NodeRequest, NodeResponse } from './node-http.ts';
import { encodeStatusMessage } from './status-message.ts';

/** Answers a call of an unknown method: UNIMPLEMENTED in the call's protocol, or a plain 404. */
export function answerUnknownMethod(
  request: NodeRequest,
  response: NodeResponse,
  services: readonly string[],
): void {
  const message = `Unknown method: ${request.url}. The services on this port are ${services.join(', ')}.`;
  const contentType = request.headers['content-type'] ?? '';
  if (contentType.startsWith('application/grpc')) {
    response.setHeader('content-type', contentType);
    // gRPC errors are responses with status 200; without a message they consist of headers only.
    response.setHeader('grpc-status', String(Code.Unimplemented));
    response.setHeader('grpc-message', encodeStatusMessage(message));
    response.end();
  } else if (request.method === 'POST') {
    response.statusCode = 404;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ code: 'unimplemented', message }));
  } else {
    answerPlainText(response, 404, `${message} Supported protocols: gRPC, gRPC-Web and Connect.\n`);
  }
}

export function answerPlainText(response: NodeResponse, status: number, text: string): void {
  response.statusCode = status;
  response.setHeader('content-type', 'text/plain; charset=utf-8');
  response.end(text);
}
