import { configError } from '../../../contract/errors.ts';
import { isLoopbackHost } from '../../../serve/http/host-rules.ts';
import type { GatewayConfig } from '../config/spec.ts';

/** A shorter key can be found by trying. */
const MIN_PUBLIC_KEY_LENGTH = 16;

/** Throws a ConfigError if others than this machine could reach the gateway, no key can protect it, and nobody said that this is meant. */
export function mayListen({ server, masterKey }: Pick<GatewayConfig, 'server' | 'masterKey'>): void {
  // An empty host is all addresses.
  if (server.insecure || isLoopbackHost(server.host)) return;
  const length = (masterKey ?? '').length;
  if (length >= MIN_PUBLIC_KEY_LENGTH) return;
  if (length > 0) {
    throw configError(
      `The master key has ${length} characters; listening on ${server.host || 'all addresses'} needs at least ${MIN_PUBLIC_KEY_LENGTH}. ` +
        'Set a longer one, for example of `openssl rand -base64 36`, listen on 127.0.0.1, or accept the risk with --insecure.',
    );
  }
  throw configError(
    `Listening on ${server.host || 'all addresses'} needs a master key. Set GATEWAY_MASTER_KEY to at least 32 characters, listen on 127.0.0.1, ` +
      'or accept the risk with --insecure.',
  );
}
