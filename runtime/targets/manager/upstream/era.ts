import { isObject } from '#core/json/is-object.ts';
import type { Connection, PeerInfo, RequestOptions } from './connection.ts';
import type { Params } from '../shapes/shape.ts';
import type { RpcPeer } from './rpc-peer.ts';
import { membersOf } from '#core/json/members-of.ts';

/**
 * The variant of the protocol on a connection. There are two: `initialize`, with a handshake and a session, up to revision
 * 2025-11-25, and `stateless`, since 2026-07-28, in which every request identifies its client.
 */
export interface Era {
  readonly peer: PeerInfo;
  readonly request: Connection['request'];
  /** Sends a cheap request; resolves when the server has responded. */
  readonly check: (options: RequestOptions) => Promise<void>;
  /** Closes open streams. */
  readonly close: () => void;
}

export interface EraOptions {
  readonly rpc: RpcPeer;
  readonly useProtocol: (version: string) => void;
  readonly request: RequestOptions;
}

/** The identity of this client for servers. The build tool sets the version. */
export const clientInfo = (): Params => ({
  name: 'mcp-manager',
  version: process.env['ENCODERFILE_VERSION'] ?? '0.0.0',
});

/** Normalizes capabilities to objects. Some servers use true for a supported one, and null or false for an unsupported one. */
const normalizeCapabilities = (capabilities: unknown): Params =>
  Object.fromEntries(
    Object.entries(isObject(capabilities) ? capabilities : {})
      .filter(([, capability]) => isObject(capability) || capability === true)
      .map(([name, capability]) => [name, isObject(capability) ? capability : {}]),
  );

/** Reads the description of a server from the handshake of either era. Many servers omit parts of it. */
export function peerInfo(protocolVersion: string, result: Params): PeerInfo {
  const { name, version, title } = membersOf(result['serverInfo']);
  const { instructions, capabilities } = result;
  return {
    protocolVersion,
    name: typeof name === 'string' ? name : 'unknown',
    version: typeof version === 'string' ? version : 'unknown',
    title: typeof title === 'string' ? title : undefined,
    instructions: typeof instructions === 'string' ? instructions : undefined,
    capabilities: normalizeCapabilities(capabilities),
  };
}
