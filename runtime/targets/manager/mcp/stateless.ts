import { isObject } from '#core/json/is-object.ts';
import type { EventStream } from '#serve/mcp/event-stream.ts';
import type { HttpExchange } from '#serve/http/exchange/exchange.ts';
import { MCP_CODE } from '#serve/errors/mcp-code.ts';
import { META_KEY } from '#serve/mcp/meta-key.ts';
import { RPC_CODE, RpcError } from '#serve/mcp/rpc-error.ts';
import {
  createStatelessHttp,
  LISTEN_METHOD,
  type StatelessCall,
  type StatelessHttpOptions,
} from '#serve/mcp/stateless-http.ts';
import { STATELESS_VERSIONS } from '#serve/mcp/stateless-request.ts';
import { RESOURCE_NOT_FOUND } from '../calls/failures.ts';
import type { Requester } from '../upstream/connection.ts';
import type { Params } from '../shapes/shape.ts';
import { usableCapabilities } from '../upstream/server-requests.ts';
import type { McpClient } from './client.ts';
import type { EndpointDescription } from './endpoint.ts';
import { type McpCall, progressTo } from './mcp-call.ts';
import type { McpParts } from './parts.ts';
import { createMultiRoundRequests } from './multi-round-requests.ts';
import { withMessages } from './stateless-messages.ts';
import { listenWithoutSession } from './stateless-listen.ts';

type Call = StatelessCall<McpClient>;

const DISCOVER_METHOD = 'server/discover';

/** Methods whose results have a cache duration. */
const CACHEABLE = new Set([
  DISCOVER_METHOD,
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
]);

/** The error of revision 2025-11-25 for a page that a person has to visit first. Now, input requests replace it. */
const URL_ELICITATION_REQUIRED = -32_042;

/** Methods during which a server can request input from the client. */
const INPUT_METHODS = new Set(['tools/call', 'prompts/get', 'resources/read']);

interface Options extends Pick<StatelessHttpOptions<McpClient>, 'maxBodyBytes' | 'parseBody'> {
  readonly inputTimeoutMs: number | undefined;
}

export interface StatelessEndpoint {
  readonly handle: (exchange: HttpExchange, client: McpClient) => Promise<void>;
  /** Ends streams of notifications, and calls that wait for their clients. */
  close(): void;
}

/** Creates the endpoint for clients of revision 2026-07-28, which have no session and identify themselves in each request. */
export function createStatelessEndpoint(
  parts: McpParts,
  { inputTimeoutMs, ...options }: Options,
): StatelessEndpoint {
  const listening = new Set<() => void>();
  const multiRound = createMultiRoundRequests(inputTimeoutMs);

  const work = (call: Call, requester?: Requester): Promise<Params> => {
    const { methods } = call.client.endpoint;
    return withMessages(parts, call, (target) =>
      parts.dispatch(methods, call.method, { ...mcpCall(call, requester), target }),
    );
  };
  const answer = async (call: Call): Promise<Params> => {
    const { endpoint, caller } = call.client;
    const { method } = call;
    const facts = await endpoint.describe(caller);
    if (method === DISCOVER_METHOD) return completed(method, discovered(facts), facts);
    if (!INPUT_METHODS.has(method) || !supportsInput(call)) return completed(method, await work(call), facts);
    const round = await multiRound.answer(call, work);
    if ('result' in round) return completed(method, round.result, facts);
    return { resultType: 'input_required', ...withServerInfo(round.inputRequired, facts) };
  };

  return {
    handle: createStatelessHttp<McpClient>({
      ...options,
      isKnown: (method, { endpoint }) =>
        method === DISCOVER_METHOD || method === LISTEN_METHOD || endpoint.methods.has(method),
      async answer(call) {
        try {
          return await answer(call);
        } catch (error) {
          throw withCurrentCode(RpcError.from(error));
        }
      },
      listen: (call, stream) => void listen(parts, call, stream, listening),
    }),
    close() {
      for (const end of listening) end();
      multiRound.close();
    },
  };
}

/** Whether the client of a call can provide input. A call with a `requestState` has already requested some. */
const supportsInput = (call: Call): boolean =>
  call.params['requestState'] !== undefined || Object.keys(usableCapabilities(call)).length > 0;

async function listen(
  parts: McpParts,
  call: Call,
  stream: EventStream,
  listening: Set<() => void>,
): Promise<void> {
  const { signal } = call;
  const { caller, endpoint } = call.client;
  try {
    const request = { id: call.id, call: mcpCall(call), endpoint, caller, stream };
    const end = await listenWithoutSession(parts, request);
    if (signal.aborted) return;
    listening.add(end);
    signal.addEventListener('abort', () => listening.delete(end), { once: true });
  } catch (error) {
    const { code, message, data } = RpcError.from(error);
    stream.send(JSON.stringify({ jsonrpc: '2.0', id: call.id, error: { code, message, data } }));
    stream.end();
  }
}

const mcpCall = ({ client, params, signal, notify }: Call, requester?: Requester): McpCall => ({
  caller: client.caller,
  requestId: client.requestId,
  headers: client.headers,
  params,
  signal,
  onProgress: progressTo(params, notify),
  requester,
});

const discovered = ({ capabilities, instructions }: EndpointDescription): Params => ({
  supportedVersions: STATELESS_VERSIONS,
  capabilities,
  instructions,
});

/** Adds the members that this revision requires in every result. */
const completed = (method: string, result: Params, facts: EndpointDescription): Params => ({
  ...withServerInfo(result, facts),
  resultType: 'complete',
  ...(CACHEABLE.has(method) ? { ttlMs: 0, cacheScope: 'private' } : {}),
});

function withServerInfo(result: Params, { info }: EndpointDescription): Params {
  const meta = isObject(result['_meta']) ? result['_meta'] : {};
  return { ...result, _meta: { ...meta, [META_KEY.serverInfo]: info } };
}

/** Error codes of earlier revisions that this one does not allow, with their replacements. */
const OLD_CODES = new Map<number, number>([
  [RESOURCE_NOT_FOUND, RPC_CODE.invalidParams],
  [URL_ELICITATION_REQUIRED, MCP_CODE.InternalError],
]);

function withCurrentCode(error: RpcError): RpcError {
  const code = OLD_CODES.get(error.code);
  return code === undefined ? error : new RpcError(code, error.message, { cause: error, data: error.data });
}
