import type { BodyOptions } from '#serve/http/body.ts';
import type { MetricsAccess } from '#core/cli/common-flags.ts';
import { type HostRules, isLoopbackHost } from '#serve/http/request-head.ts';
import type { ServerConfig } from '../config/spec.ts';

export interface GatewayAppOptions {
  readonly server: Pick<
    ServerConfig,
    'host' | 'allowedHosts' | 'corsOrigins' | 'publicUrl' | 'maxBodyBytes' | 'bodyTimeoutMs'
  >;
  readonly hasMasterKey: boolean;
  readonly metrics: MetricsAccess;
}

const ONE_MEBIBYTE = 1_048_576;

/** Limits for request bodies that only contain a few fields and are not sent to models. */
export const smallBodyOptions = ({ server }: GatewayAppOptions): BodyOptions => ({
  maxBodyBytes: Math.min(server.maxBodyBytes, ONE_MEBIBYTE),
  timeoutMs: server.bodyTimeoutMs,
  emptyMessage: 'The request has no body.',
  tooLargeMessage: (limit) => `The body exceeds ${limit} bytes, the maximum for this endpoint.`,
});

/** Limits for request bodies that are sent to models. */
export const modelBodyOptions = ({ server }: GatewayAppOptions): BodyOptions => ({
  maxBodyBytes: server.maxBodyBytes,
  timeoutMs: server.bodyTimeoutMs,
  tooLargeMessage: (limit) =>
    `The body is larger than ${limit} bytes, the maximum of this server. Send a smaller request, or increase --max-body.`,
});

/**
 * The rules for the Host and Origin headers; undefined if these headers are not checked. Without a master
 * key, a gateway on loopback accepts some requests without credentials, and web pages must not be able to
 * send such requests through a browser. With a master key, credentials protect the gateway, and proxies can
 * use any host name.
 */
export function hostRulesOf({ server, hasMasterKey }: GatewayAppOptions): HostRules | undefined {
  const { host, allowedHosts, corsOrigins } = server;
  const isOpen = !hasMasterKey && isLoopbackHost(host);
  return isOpen || allowedHosts.length > 0
    ? { hostname: host, allowedHosts, allowedOrigins: corsOrigins }
    : undefined;
}
