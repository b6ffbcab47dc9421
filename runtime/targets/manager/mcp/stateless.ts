import { isObject } from '../../../core/json/is-object.ts';
import type { EventStream } from '../../../serve/mcp/event-stream.ts';
import type { HttpExchange } from '../../../serve/http/exchange/exchange.ts';
import { MCP_CODE } from '../../../serve/errors/mcp-code.ts';
import { META_KEY } from '../../../serve/mcp/meta-key.ts';
import { RPC_CODE, RpcError } from '../../../serve/mcp/rpc-error.ts';
import {
  createStatelessHttp,
  LISTEN_METHOD,
  type StatelessCall,
  type StatelessHttpOptions,
} from '../../../serve/mcp/stateless-http.ts';
import { STATELESS_VERSIONS } from '../../../serve/mcp/stateless-request.ts';
import { RESOURCE_NOT_FOUND } from '../calls/failures.ts';
import type { Asker } from '../upstream/connection.ts';
import type { Params } from '../shapes/shape.ts';
import { abilitiesOf } from '../upstream/server-questions.ts';
import type { McpClient } from './client.ts';
import type { EndpointFacts } from './endpoint.ts';
import { type McpCall, progressTo } from './mcp-call.ts';
import type { McpParts } from './parts.ts';
import { createRounds } from './rounds.ts';
import { withMessages } from './stateless-messages.ts';
import { listenWithoutSession } from './stateless-listen.ts';

type Call = StatelessCall<McpClient>;

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

/** A person has to visit a page first: the error of 2025-11-25 in place of which there are questions now. */
const URL_ELICITATION_REQUIRED = -32_042;

/** Requests during which a server may ask its client something. */
const ASKING = new Set(['tools/call', 'prompts/get', 'resources/read']);

interface Options extends Pick<StatelessHttpOptions<McpClient>, 'maxBodyBytes' | 'parseBody'> {
  readonly askMilliseconds: number | undefined;
}

export interface StatelessEndpoint {
  readonly handle: (exchange: HttpExchange, client: McpClient) => Promise<void>;
  /** Ends the streams of those who listen, and the calls that wait for their client. */
  close(): void;
}

/** Clients of revision 2026-07-28, who have no session and say with every request who they are. */
export function createStatelessEndpoint(
  parts: McpParts,
  { askMilliseconds, ...options }: Options,
): StatelessEndpoint {
  const listening = new Set<() => void>();
  const rounds = createRounds(askMilliseconds);

  const work = (call: Call, asker?: Asker): Promise<Params> => {
    const { methods } = call.client.endpoint;
    return withMessages(parts, call, () => parts.dispatch(methods, call.method, mcpCall(call, asker)));
  };
  const answer = async (call: Call): Promise<Params> => {
    const { endpoint, caller } = call.client;
    const { method } = call;
    const facts = await endpoint.describe(caller);
    if (method === DISCOVER_METHOD) return completed(method, discovered(facts), facts);
    if (!ASKING.has(method) || !canBeAsked(call)) return completed(method, await work(call), facts);
    const round = await rounds.answer(call, work);
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
          throw asOfThisRevision(RpcError.from(error));
        }
      },
      listen: (call, stream) => void listen(parts, call, stream, listening),
    }),
    close() {
      for (const end of listening) end();
      rounds.close();
    },
  };
}

/** Whoever goes on with a call was asked before. */
const canBeAsked = (call: Call): boolean =>
  call.params['requestState'] !== undefined || Object.keys(abilitiesOf(call)).length > 0;

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

const mcpCall = ({ client, params, signal, notify }: Call, asker?: Asker): McpCall => ({
  caller: client.caller,
  requestId: client.requestId,
  params,
  signal,
  onProgress: progressTo(params, notify),
  asker,
});

const discovered = ({ capabilities, instructions }: EndpointFacts): Params => ({
  supportedVersions: STATELESS_VERSIONS,
  capabilities,
  instructions,
});

/** What this revision wants every result to say. */
const completed = (method: string, result: Params, facts: EndpointFacts): Params => ({
  ...withServerInfo(result, facts),
  resultType: 'complete',
  ...(CACHEABLE.has(method) ? { ttlMs: 0, cacheScope: 'private' } : {}),
});

function withServerInfo(result: Params, { info }: EndpointFacts): Params {
  const meta = isObject(result['_meta']) ? result['_meta'] : {};
  return { ...result, _meta: { ...meta, [META_KEY.serverInfo]: info } };
}

/** Codes of servers of earlier revisions that this one forbids, and what stands for them. */
const OLD_CODES = new Map<number, number>([
  [RESOURCE_NOT_FOUND, RPC_CODE.invalidParams],
  [URL_ELICITATION_REQUIRED, MCP_CODE.InternalError],
]);

function asOfThisRevision(error: RpcError): RpcError {
  const code = OLD_CODES.get(error.code);
  return code === undefined ? error : new RpcError(code, error.message, { cause: error, data: error.data });
}
