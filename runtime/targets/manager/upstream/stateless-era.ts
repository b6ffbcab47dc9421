import { AppError } from '../../../contract/errors.ts';
import { META_KEY } from '../../../serve/mcp/meta-key.ts';
import { FIRST_STATELESS_VERSION as VERSION } from '../../../serve/mcp/protocol-version.ts';
import { HEADER_MISMATCH } from '../../../serve/mcp/stateless-request.ts';
import { answerInput } from './answer-input.ts';
import { type RequestOptions, RpcFailure } from './connection.ts';
import type { Params } from '../shapes/shape.ts';
import { clientInfo, type Era, type EraOptions, peerInfo } from './era.ts';
import { listenForChanges } from './listen-for-changes.ts';
import { abilitiesOf } from './server-questions.ts';
import { membersOf } from '../../../core/json/members-of.ts';

/** A server that asks for more and more is given up on. */
const MOST_ROUNDS = 10;
const MOST_PAGES = 100;

/** @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning */
export async function openStatelessEra(options: EraOptions): Promise<Era> {
  const { rpc, useProtocol } = options;
  const who = {
    [META_KEY.version]: VERSION,
    [META_KEY.clientInfo]: clientInfo(),
  };
  /** The level that all clients together want: there is no request to set it any more, each request says it. */
  let logLevel: unknown;
  const request = async (method: string, params: Params | undefined, options: RequestOptions) => {
    if (method === 'logging/setLevel') {
      logLevel = params?.['level'];
      return {};
    }
    const { asker } = options;
    const _meta = {
      ...membersOf(params?.['_meta']),
      ...who,
      [META_KEY.capabilities]: asker ? abilitiesOf(asker) : {},
      ...(logLevel === undefined ? {} : { [META_KEY.logLevel]: logLevel }),
    };
    const send = (more: Params): Promise<Params> =>
      rpc.request(method, { ...params, ...more, _meta }, options);
    let given: Params = {};
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const { resultType, ...result } = await send(given).catch(async (error: unknown) => {
        if (method !== 'tools/call' || !isHeaderMismatch(error)) throw error;
        await listToolsAgain(_meta, options);
        return send(given);
      });
      // Other results only say that they are complete, which nobody needs to hear who has them.
      if (resultType !== 'input_required') return result;
      given = await answerInput(result, options);
    }
    throw new AppError(
      'UpstreamError',
      `The server asked for input ${MOST_ROUNDS} times and did not answer.`,
    );
  };

  /** The connection learns from the list which arguments go into headers, which changes with the tools. */
  const listToolsAgain = async (_meta: Params, { timeoutMs, signal }: RequestOptions): Promise<void> => {
    let cursor: unknown;
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const params = { ...(cursor === undefined ? {} : { cursor }), _meta };
      ({ nextCursor: cursor } = await rpc.request('tools/list', params, { timeoutMs, signal }));
      if (typeof cursor !== 'string') return;
    }
  };

  useProtocol(VERSION);
  const told = await request('server/discover', undefined, options.request);
  const supported = told['supportedVersions'];
  if (Array.isArray(supported) && !supported.includes(VERSION)) {
    throw new AppError(
      'UpstreamError',
      `The server speaks MCP ${supported.join(', ')}; use one that speaks ${VERSION}.`,
    );
  }
  const peer = peerInfo(VERSION, { ...told, serverInfo: told['serverInfo'] ?? serverIn(told['_meta']) });
  const listening = listenForChanges({ capabilities: peer.capabilities, request });
  return {
    peer,
    request,
    async check(options) {
      // There is no ping any more.
      await request('server/discover', undefined, options);
    },
    close: listening.stop,
  };
}

/** Nothing of such a request was done. */
const isHeaderMismatch = (error: unknown): boolean =>
  error instanceof RpcFailure && error.code === HEADER_MISMATCH;

const serverIn = (meta: unknown): unknown => membersOf(meta)[META_KEY.serverInfo];
