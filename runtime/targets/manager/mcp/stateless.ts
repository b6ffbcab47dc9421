import { isObject } from '../../../core/is-object.ts';
import type { EventStream } from '../../../serve/mcp/event-stream.ts';
import type { HttpExchange } from '../../../serve/mcp/http-exchange.ts';
import { RPC_CODE, RpcError } from '../../../serve/mcp/rpc-error.ts';
import {
  createStatelessHttp,
  LISTEN_METHOD,
  type StatelessCall,
  type StatelessHttpOptions,
} from '../../../serve/mcp/stateless-http.ts';
import { STATELESS_VERSIONS } from '../../../serve/mcp/stateless-request.ts';
import type { Params } from '../upstream/connection.ts';
import type { McpClient } from './client.ts';
import type { EndpointFacts } from './endpoint.ts';
import { type McpCall, progressTo } from './mcp-call.ts';
import type { McpParts } from './parts.ts';
import { withMessages } from './stateless-messages.ts';
import { listenWithoutSession } from './stateless-listen.ts';
import { RESOURCE_NOT_FOUND } from './targets.ts';

const DISCOVER_METHOD = 'server/discover';

/** Results that say for how long they may be kept. */
const CACHEABLE = new Set([
  DISCOVER_METHOD,
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
]);

type Options = Pick<StatelessHttpOptions<McpClient>, 'maxBodyBytes' | 'parseBody'>;

export interface StatelessEndpoint {
  readonly handle: (exchange: HttpExchange, client: McpClient) => Promise<void>;
  /** Ends the streams of those who listen. */
  close(): void;
}

/** Clients of revision 2026-07-28, who have no session and say with every request who they are. */
export function createStatelessEndpoint(parts: McpParts, options: Options): StatelessEndpoint {
  const listening = new Set<() => void>();

  const answer = async (call: StatelessCall<McpClient>): Promise<Params> => {
    const { endpoint, caller } = call.client;
    const facts = await endpoint.describe(caller);
    const result =
      call.method === DISCOVER_METHOD
        ? discovered(facts)
        : await withMessages(parts, call, () => parts.dispatch(endpoint.methods, call.method, mcpCall(call)));
    return completed(call.method, result, facts);
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
          throw asOfThisRevision(RpcError.from(error));
        }
      },
      listen: (call, stream) => void listen(parts, call, stream, listening),
    }),
    close() {
      for (const end of listening) end();
    },
  };
}

async function listen(
  parts: McpParts,
  call: StatelessCall<McpClient>,
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

const mcpCall = ({ client, params, signal, notify }: StatelessCall<McpClient>): McpCall => ({
  caller: client.caller,
  requestId: client.requestId,
  params,
  signal,
  onProgress: progressTo(params, notify),
});

const discovered = ({ capabilities, instructions }: EndpointFacts): Params => ({
  supportedVersions: STATELESS_VERSIONS,
  capabilities,
  instructions,
});

/** What this revision wants every result to say. */
function completed(method: string, result: Params, { info }: EndpointFacts): Params {
  const meta = isObject(result['_meta']) ? result['_meta'] : {};
  return {
    ...result,
    resultType: 'complete',
    ...(CACHEABLE.has(method) ? { ttlMs: 0, cacheScope: 'private' } : {}),
    _meta: { ...meta, 'io.modelcontextprotocol/serverInfo': info },
  };
}

const asOfThisRevision = (error: RpcError): RpcError =>
  error.code === RESOURCE_NOT_FOUND
    ? new RpcError(RPC_CODE.invalidParams, error.message, { cause: error, data: error.data })
    : error;
