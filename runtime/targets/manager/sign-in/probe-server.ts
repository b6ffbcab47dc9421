import { SESSION_VERSIONS } from '#serve/mcp/protocol-version.ts';
import { type BearerChallenge, parseBearerChallenge } from '#serve/oauth/bearer-challenge.ts';
import type { OAuthHttp, OAuthResponse } from '#serve/oauth/oauth-http.ts';
import type { RemoteLaunch } from '../config/spec.ts';

export interface ProbedServer {
  readonly status: number;
  readonly challenge: BearerChallenge | undefined;
}

/**
 * Sends requests without a token to a server, to get its challenge. Some servers accept the handshake from everyone, so a list is
 * requested as well.
 */
export async function probeServer(
  http: OAuthHttp,
  { url, transport, headers: configured }: RemoteLaunch,
): Promise<ProbedServer> {
  if (transport === 'sse') return probed(await http.get(url));
  const headers = { ...configured, accept: 'application/json, text/event-stream' };
  const opened = await http.postJson(url, message('initialize', INITIALIZE), headers);
  const first = probed(opened);
  if (first.challenge !== undefined || first.status >= 300) return first;
  const session = opened.headers['mcp-session-id'];
  const second = await http.postJson(url, message('tools/list', {}), {
    ...headers,
    'mcp-protocol-version': INITIALIZE.protocolVersion,
    ...(typeof session === 'string' && { 'mcp-session-id': session }),
  });
  return probed(second);
}

const probed = ({ status, headers }: OAuthResponse): ProbedServer => ({
  status,
  challenge: parseBearerChallenge(headers['www-authenticate']),
});

const message = (method: string, params: object) => ({ jsonrpc: '2.0', id: 0, method, params });

const INITIALIZE = {
  protocolVersion: SESSION_VERSIONS[0],
  capabilities: {},
  clientInfo: { name: 'mcp-manager', version: '0' },
};
