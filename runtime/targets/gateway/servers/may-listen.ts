import { configError } from '../../../contract/errors.ts';
import { isLoopbackHost } from '../../../serve/http/host-rules.ts';
import type { GatewayConfig } from '../config/spec.ts';

/** Throws a ConfigError if others than this machine could reach the gateway, no key can protect it, and nobody said that this is meant. */
export function mayListen({ server, masterKey }: Pick<GatewayConfig, 'server' | 'masterKey'>): void {
  // An empty key would be none, and an empty host all addresses.
  if ((masterKey ?? '') !== '' || server.insecure || isLoopbackHost(server.host)) return;
  throw configError(
    `Listening on ${server.host || 'all addresses'} needs a master key. Set GATEWAY_MASTER_KEY to at least 32 characters, listen on 127.0.0.1, ` +
      'or accept the risk with --insecure.',
  );
}
