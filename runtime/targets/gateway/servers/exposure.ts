import { MIN_PUBLIC_CREDENTIAL_LENGTH, type Exposure } from '#serve/program/listen-policy.ts';
import type { GatewayConfig } from '../config/spec.ts';

/** Returns a gateway's address and the master key that protects it. An empty master key counts as not set. */
export function exposureOf({
  server,
  masterKey = '',
}: Pick<GatewayConfig, 'server' | 'masterKey'>): Exposure & { readonly insecure: boolean } {
  const { host: hostname, insecure } = server;
  const { length } = masterKey;
  return {
    hostname,
    insecure,
    credential: {
      name: 'a master key',
      isSet: length > 0,
      length,
      remedy: `Set GATEWAY_MASTER_KEY to at least ${MIN_PUBLIC_CREDENTIAL_LENGTH} characters, for example from \`openssl rand -base64 36\``,
    },
  };
}
