import { type HttpAnswer, JSON_TYPE } from '../http/exchange.ts';
import { BATCH_VERSION } from './protocol-version.ts';
import { RPC_CODE } from './rpc-error.ts';

/** Error code of the MCP SDKs for HTTP errors that do not belong to a JSON-RPC request. */
const SERVER_ERROR = -32_000;
const SESSION_NOT_FOUND = -32_001;

/** Responses to requests that are rejected before they are passed to a session. */
export const HTTP_ERRORS = {
  forbidden: (reason: string) => refusal(403, SERVER_ERROR, reason),
  method: (allowed: readonly string[]) =>
    refusal(405, SERVER_ERROR, `Method not allowed. Allowed methods: ${allowed.join(', ')}.`, {
      allow: allowed.join(', '),
    }),
  noSession: () =>
    refusal(400, SERVER_ERROR, 'The header Mcp-Session-Id is required. Send `initialize` first.'),
  unknownSession: () => refusal(404, SESSION_NOT_FOUND, 'Session not found. Send `initialize` again.'),
  noStream: () => refusal(400, SERVER_ERROR, 'The parameter sessionId is required. Send GET /sse first.'),
  unknownStream: () => refusal(404, SESSION_NOT_FOUND, 'Session not found. Send GET /sse again.'),
  full: () =>
    refusal(503, SERVER_ERROR, 'The maximum number of sessions has been reached. Retry later.', {
      'retry-after': '1',
    }),
  tooLarge: (message: string) => refusal(413, SERVER_ERROR, message),
  overloaded: (message: string) => refusal(429, SERVER_ERROR, message, { 'retry-after': '1' }),
  notJson: () => refusal(400, RPC_CODE.parseError, 'Parse error: the body is not valid JSON.'),
  notJsonType: () =>
    refusal(415, SERVER_ERROR, 'Unsupported content type. Send the header Content-Type: application/json.'),
  notAcceptable: (types: readonly string[]) =>
    refusal(406, SERVER_ERROR, `The header Accept must include ${types.join(' and ')}.`),
  invalid: (message: string) => refusal(400, RPC_CODE.invalidRequest, message),
  listRefused: () =>
    refusal(
      400,
      RPC_CODE.invalidRequest,
      `Invalid request: only protocol version ${BATCH_VERSION} supports lists of messages. Send one message per request.`,
    ),
  unknownVersion: (version: string, known: readonly string[]) =>
    refusal(400, SERVER_ERROR, `Unsupported protocol version: ${version}. Supported: ${known.join(', ')}.`),
  streamInUse: () =>
    refusal(409, SERVER_ERROR, 'The session already has an open standalone stream; only one is allowed.'),
  unknownEvent: () =>
    refusal(400, SERVER_ERROR, 'No stream can be resumed from this Last-Event-ID. Send the request again.'),
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
