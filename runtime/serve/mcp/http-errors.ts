import { RPC_CODE } from './rpc-error.ts';

/** What the SDK's transports use for errors of HTTP rather than of a JSON-RPC request. */
const SERVER_ERROR = -32_000;
const SESSION_NOT_FOUND = -32_001;

/** Answers to requests that do not reach a session, in the shape the SDK gives its own. */
export const HTTP_ERRORS = {
  forbidden: (reason: string) => errorResponse(403, SERVER_ERROR, reason),
  method: (allowed: readonly string[]) =>
    errorResponse(405, SERVER_ERROR, `Use ${allowed.join(', ')} here.`, { allow: allowed.join(', ') }),
  noSession: () =>
    errorResponse(400, SERVER_ERROR, 'The header Mcp-Session-Id is required; initialize first.'),
  unknownSession: () => errorResponse(404, SESSION_NOT_FOUND, 'Session not found; initialize again.'),
  full: () =>
    errorResponse(503, SERVER_ERROR, 'All sessions of this server are in use; try again.', {
      'retry-after': '1',
    }),
  tooLarge: (maxBytes: number) =>
    errorResponse(413, SERVER_ERROR, `The body is longer than ${maxBytes} bytes; send less at once.`),
  notJson: () => errorResponse(400, RPC_CODE.parseError, 'Parse error: the body is not JSON.'),
  notJsonType: () =>
    errorResponse(415, SERVER_ERROR, 'The request needs the header Content-Type: application/json.'),
  closed: () => errorResponse(503, SERVER_ERROR, 'The server is shutting down.'),
};

function errorResponse(
  status: number,
  code: number,
  message: string,
  headers: Record<string, string> = {},
): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status, headers });
}
