import type { BodyOptions } from '../../../serve/http/body.ts';
import { type HostRules, isLoopbackHost } from '../../../serve/http/host-rules.ts';
import type { ServerConfig } from '../config/spec.ts';

export interface GatewayAppOptions {
  readonly server: Pick<
    ServerConfig,
    'host' | 'allowedHosts' | 'corsOrigins' | 'maxBodyBytes' | 'bodyTimeoutMs'
  >;
  readonly hasMasterKey: boolean;
  /** Whether there is `/metrics`. */
  readonly metrics: boolean;
}

const ONE_MEBIBYTE = 1_048_576;

/** How bodies are read of requests that are not for models: those hold a few fields. */
export const smallBodies = ({ server }: GatewayAppOptions): BodyOptions => ({
  maxBodyBytes: Math.min(server.maxBodyBytes, ONE_MEBIBYTE),
  timeoutMs: server.bodyTimeoutMs,
  emptyMessage: 'The request needs a body.',
  tooLargeMessage: (limit) => `The body is larger than ${limit} bytes, the most that is taken here.`,
});

/** How those for models are read. */
export const modelBodies = ({ server }: GatewayAppOptions): BodyOptions => ({
  maxBodyBytes: server.maxBodyBytes,
  timeoutMs: server.bodyTimeoutMs,
  tooLargeMessage: (limit) =>
    `The body is larger than ${limit} bytes, the most this server takes. Send less at once, or start the server with a larger --max-body.`,
});

/**
 * Without a master key some of this machine may ask without any credential, so that web pages must not be able to make a browser
 * ask for them. Elsewhere a credential is what counts, and proxies may call the server by any name.
 */
export function hostRulesOf({ server, hasMasterKey }: GatewayAppOptions): HostRules | undefined {
  const { host, allowedHosts, corsOrigins } = server;
  const isOpen = !hasMasterKey && isLoopbackHost(host);
  return isOpen || allowedHosts.length > 0
    ? { hostname: host, allowedHosts, allowedOrigins: corsOrigins }
    : undefined;
}
