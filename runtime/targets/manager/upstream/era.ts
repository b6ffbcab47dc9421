import { isObject } from '../../../core/json/is-object.ts';
import type { Connection, PeerInfo, RequestOptions } from './connection.ts';
import type { Params } from '../shapes/shape.ts';
import type { RpcPeer } from './rpc-peer.ts';
import { membersOf } from '../../../core/json/members-of.ts';

/**
 * How the protocol is spoken on a connection. Two eras exist: `initialize`, with a handshake and a session, up to revision
 * 2025-11-25; and `stateless`, since 2026-07-28, where every request says who asks.
 */
export interface Era {
  readonly peer: PeerInfo;
  readonly request: Connection['request'];
  /** Asks something cheap; resolves when the server has answered. */
  readonly check: (options: RequestOptions) => Promise<void>;
  /** Gives up what it keeps open. */
  readonly close: () => void;
}

export interface EraOptions {
  readonly rpc: RpcPeer;
  readonly useProtocol: (version: string) => void;
  readonly request: RequestOptions;
}

/** Who asks. The builder writes the version in. */
export const clientInfo = (): Params => ({
  name: 'mcp-manager',
  version: process.env['ENCODERFILE_VERSION'] ?? '0.0.0',
});

/** An ability is an object; some servers write true for one without details, and null or false for one that they do not have. */
const abilities = (capabilities: unknown): Params =>
  Object.fromEntries(
    Object.entries(isObject(capabilities) ? capabilities : {})
      .filter(([, ability]) => isObject(ability) || ability === true)
      .map(([name, ability]) => [name, isObject(ability) ? ability : {}]),
  );

/** What servers tell of themselves, in either era; many leave something out. */
export function peerInfo(protocolVersion: string, told: Params): PeerInfo {
  const { name, version, title } = membersOf(told['serverInfo']);
  const { instructions, capabilities } = told;
  return {
    protocolVersion,
    name: typeof name === 'string' ? name : 'unknown',
    version: typeof version === 'string' ? version : 'unknown',
    title: typeof title === 'string' ? title : undefined,
    instructions: typeof instructions === 'string' ? instructions : undefined,
    capabilities: abilities(capabilities),
  };
}
