import { AppError } from '../../../contract/errors.ts';
import { RPC_CODE } from '../../../serve/mcp/rpc-error.ts';
import { RpcFailure } from './connection.ts';
import { ALL_ABILITIES } from './server-questions.ts';
import { clientInfo, type Era, type EraOptions, peerInfo } from './era.ts';

/** The newest is offered; a server may answer with an older one. */
const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

/** @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle */
export async function openInitializeEra({ rpc, useProtocol, request }: EraOptions): Promise<Era> {
  const offer = { protocolVersion: VERSIONS[0], capabilities: ALL_ABILITIES, clientInfo: clientInfo() };
  const told = await rpc.request('initialize', offer, request);
  const version = String(told['protocolVersion']);
  if (!VERSIONS.includes(version)) {
    const known = VERSIONS.join(', ');
    throw new AppError('UpstreamError', `The server speaks MCP ${version}; use one that speaks ${known}.`);
  }
  useProtocol(version);
  rpc.notify('notifications/initialized');
  const peer = peerInfo(version, told);

  /** What a check asks. Without ping and tools there is nothing else: then being told so is a sign of life. */
  let cheapest = 'ping';
  return {
    peer,
    request: rpc.request,
    async check(options) {
      try {
        await rpc.request(cheapest, undefined, options);
      } catch (error) {
        if (!(error instanceof RpcFailure) || error.code !== RPC_CODE.methodNotFound) throw error;
        if (cheapest !== 'ping' || !('tools' in peer.capabilities)) return;
        cheapest = 'tools/list';
        await rpc.request(cheapest, undefined, options);
      }
    },
    close: () => undefined,
  };
}
