import { AppError } from '../../../contract/errors.ts';
import { FIRST_STATELESS_VERSION as VERSION } from '../../../serve/mcp/protocol-version.ts';
import { type Params, type RequestOptions, RpcFailure } from './connection.ts';
import { clientInfo, type Era, type EraOptions, peerInfo } from './era.ts';
import { listenForChanges } from './listen-for-changes.ts';

/** What that revision calls an error about a client that cannot do what a request needs. */
const MISSING_CLIENT_CAPABILITY = -32021;

/** @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning */
export async function openStatelessEra(options: EraOptions): Promise<Era> {
  const { rpc, useProtocol } = options;
  const who = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientInfo': clientInfo(),
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const request = async (method: string, params: Params | undefined, options: RequestOptions) => {
    const meta = { ...(params?.['_meta'] as Params | undefined), ...who };
    return completed(await rpc.request(method, { ...params, _meta: meta }, options));
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

/** Other results only say that they are complete, which nobody needs to hear who has them. */
function completed({ resultType, ...result }: Params): Params {
  if (resultType !== 'input_required') return result;
  const asked = Object.values((result['inputRequests'] ?? {}) as Record<string, Params>);
  const methods = asked.map(({ method }) => String(method)).join(', ');
  const message = `The server asks for input (${methods}), which a manager has no user to get from.`;
  throw new RpcFailure(MISSING_CLIENT_CAPABILITY, message);
}

const serverIn = (meta: unknown): unknown =>
  (meta as Params | undefined)?.['io.modelcontextprotocol/serverInfo'];
