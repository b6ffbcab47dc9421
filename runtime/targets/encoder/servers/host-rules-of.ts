import type { HostRules } from '#serve/http/request-head.ts';
import type { Address } from './addresses.ts';
import type { ServeSettings } from './settings.ts';

/**
 * The hosts and origins that a server of a model accepts. With an API key or TLS, clients can use any name, for example of a
 * service in Kubernetes, unless names are listed.
 */
export function hostRulesOf(
  {
    apiKeys,
    allowedHosts,
    corsOrigins,
    tls,
  }: Pick<ServeSettings, 'apiKeys' | 'allowedHosts' | 'corsOrigins' | 'tls'>,
  { hostname }: Pick<Address, 'hostname'>,
): HostRules {
  const isProtected = apiKeys.length > 0 || tls !== undefined;
  return {
    hostname,
    allowedHosts,
    allowedOrigins: corsOrigins,
    anyName: () => isProtected && allowedHosts === undefined,
  };
}
