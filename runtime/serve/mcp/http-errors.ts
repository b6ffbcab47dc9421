import { type HttpAnswer, JSON_TYPE } from './http-exchange.ts';
import { RPC_CODE } from './rpc-error.ts';

/** What the protocol's own SDKs use for errors of HTTP rather than of a JSON-RPC request. */
const SERVER_ERROR = -32_000;
const SESSION_NOT_FOUND = -32_001;

/** Answers to requests that do not reach a session. */
export const HTTP_ERRORS = {
  forbidden: (reason: string) => refusal(403, SERVER_ERROR, reason),
  method: (allowed: readonly string[]) =>
    refusal(405, SERVER_ERROR, `Use ${allowed.join(', ')} here.`, { allow: allowed.join(', ') }),
  noSession: () => refusal(400, SERVER_ERROR, 'The header Mcp-Session-Id is required; initialize first.'),
  unknownSession: () => refusal(404, SESSION_NOT_FOUND, 'Session not found; initialize again.'),
  full: () =>
    refusal(503, SERVER_ERROR, 'All sessions of this server are in use; try again.', { 'retry-after': '1' }),
  tooLarge: (maxBytes: number) =>
    refusal(413, SERVER_ERROR, `The body is longer than ${maxBytes} bytes; send less at once.`),
  notJson: () => refusal(400, RPC_CODE.parseError, 'Parse error: the body is not JSON.'),
  notJsonType: () =>
    refusal(415, SERVER_ERROR, 'The request needs the header Content-Type: application/json.'),
  notAcceptable: (types: readonly string[]) =>
    refusal(406, SERVER_ERROR, `The header Accept must have ${types.join(' and ')}.`),
  invalid: (message: string) => refusal(400, RPC_CODE.invalidRequest, message),
  unknownVersion: (version: string, known: readonly string[]) =>
    refusal(400, SERVER_ERROR, `Unsupported protocol version: ${version}. Supported: ${known.join(', ')}.`),
  streamInUse: () =>
    refusal(409, SERVER_ERROR, 'Only one stream can be open in a session without a request.'),
  unknownEvent: () =>
    refusal(400, SERVER_ERROR, 'There is nothing to continue after this Last-Event-ID; ask again.'),
  closed: () => refusal(503, SERVER_ERROR, 'The server is shutting down.'),
};

function refusal(
  status: number,
  code: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): HttpAnswer {
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null });
  return { status, headers: { ...JSON_TYPE, ...headers }, body };
}
