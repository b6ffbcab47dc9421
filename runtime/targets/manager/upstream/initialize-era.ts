import { AppError } from '#contract/errors.ts';
import { RPC_CODE } from '#serve/mcp/rpc-error.ts';
import { RpcFailure } from './connection.ts';
import { CLIENT_CAPABILITIES } from './server-requests.ts';
import { clientInfo, type Era, type EraOptions, peerInfo } from './era.ts';

/** Supported revisions. The newest is requested; a server can select an older one. */
const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

/** @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle */
export async function openInitializeEra({ rpc, useProtocol, request }: EraOptions): Promise<Era> {
  const params = {
    protocolVersion: VERSIONS[0],
    capabilities: CLIENT_CAPABILITIES,
    clientInfo: clientInfo(),
  };
  const result = await rpc.request('initialize', params, request);
  const version = String(result['protocolVersion']);
  if (!VERSIONS.includes(version)) {
    const supported = VERSIONS.join(', ');
    throw new AppError(
      'UpstreamError',
      `The server uses the unsupported MCP version ${version}. Supported versions: ${supported}.`,
    );
  }
  useProtocol(version);
  rpc.notify('notifications/initialized');
  const peer = peerInfo(version, result);

  /** The method of checks. If a server has neither ping nor tools, its "method not found" error counts as a response. */
  let checkMethod = 'ping';
  return {
    peer,
    request: rpc.request,
    async check(options) {
      try {
        await rpc.request(checkMethod, undefined, options);
      } catch (error) {
        if (!(error instanceof RpcFailure) || error.code !== RPC_CODE.methodNotFound) throw error;
        if (checkMethod !== 'ping' || !('tools' in peer.capabilities)) return;
        checkMethod = 'tools/list';
        await rpc.request(checkMethod, undefined, options);
      }
    },
    close: () => undefined,
  };
}
