import { AppError } from '#contract/errors.ts';
import { META_KEY } from '#serve/mcp/meta-key.ts';
import { FIRST_STATELESS_VERSION as VERSION } from '#serve/mcp/protocol-version.ts';
import { HEADER_MISMATCH } from '#serve/mcp/stateless-request.ts';
import { collectInput } from './collect-input.ts';
import { type RequestOptions, RpcFailure } from './connection.ts';
import type { Params } from '../shapes/shape.ts';
import { clientInfo, type Era, type EraOptions, peerInfo } from './era.ts';
import { listenForChanges } from './listen-for-changes.ts';
import { usableCapabilities } from './server-requests.ts';
import { membersOf } from '#core/json/members-of.ts';

/** Maximum number of times that a server can require input for one request. */
const MAX_ROUNDS = 10;
/** Maximum number of pages that are read when the list of tools is refreshed. */
const MAX_PAGES = 100;

/** @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning */
export async function openStatelessEra(options: EraOptions): Promise<Era> {
  const { rpc, useProtocol } = options;
  const identity = {
    [META_KEY.version]: VERSION,
    [META_KEY.clientInfo]: clientInfo(),
  };
  /** The log level for all clients. This revision has no request to set it; each request contains it. */
  let logLevel: unknown;
  const request = async (method: string, params: Params | undefined, options: RequestOptions) => {
    if (method === 'logging/setLevel') {
      logLevel = params?.['level'];
      return {};
    }
    const { requester } = options;
    const _meta = {
      ...membersOf(params?.['_meta']),
      ...identity,
      [META_KEY.capabilities]: requester ? usableCapabilities(requester) : {},
      ...(logLevel === undefined ? {} : { [META_KEY.logLevel]: logLevel }),
    };
    const send = (input: Params): Promise<Params> =>
      rpc.request(method, { ...params, ...input, _meta }, options);
    let input: Params = {};
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const { resultType, ...result } = await send(input).catch(async (error: unknown) => {
        if (method !== 'tools/call' || !isHeaderMismatch(error)) throw error;
        await refreshTools(_meta, options);
        return send(input);
      });
      // Any other type means that the result is complete; callers do not need it.
      if (resultType !== 'input_required') return result;
      input = await collectInput(result, options);
    }
    throw new AppError(
      'UpstreamError',
      `The server requested input ${MAX_ROUNDS} times without returning a result.`,
    );
  };

  /** Lists the tools again, because the transport reads from the list which arguments are required in headers. */
  const refreshTools = async (_meta: Params, { timeoutMs, signal }: RequestOptions): Promise<void> => {
    let cursor: unknown;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const params = { ...(cursor === undefined ? {} : { cursor }), _meta };
      ({ nextCursor: cursor } = await rpc.request('tools/list', params, { timeoutMs, signal }));
      if (typeof cursor !== 'string') return;
    }
  };

  useProtocol(VERSION);
  const result = await request('server/discover', undefined, options.request);
  const supported = result['supportedVersions'];
  if (Array.isArray(supported) && !supported.includes(VERSION)) {
    throw new AppError(
      'UpstreamError',
      `The server uses the unsupported MCP versions ${supported.join(', ')}. Supported version: ${VERSION}.`,
    );
  }
  const serverInfo = result['serverInfo'] ?? serverIn(result['_meta']);
  const peer = peerInfo(VERSION, { ...result, serverInfo });
  const listening = listenForChanges({ capabilities: peer.capabilities, request });
  return {
    peer,
    request,
    async check(options) {
      // This revision has no ping.
      await request('server/discover', undefined, options);
    },
    close: listening.stop,
  };
}

/** Whether a request failed because of its headers. Such a request had no effect, so it can be repeated. */
const isHeaderMismatch = (error: unknown): boolean =>
  error instanceof RpcFailure && error.code === HEADER_MISMATCH;

const serverIn = (meta: unknown): unknown => membersOf(meta)[META_KEY.serverInfo];
