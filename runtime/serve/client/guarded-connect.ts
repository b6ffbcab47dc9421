import { buildConnector } from 'undici';
import { addressKind, isIpAddress } from '#core/net/public-address.ts';
import { guardedLookup, isAllowedAddress } from '#platform/guarded-lookup.ts';

interface ConnectRule {
  /** Whether connections to this machine and its networks are allowed. Instance metadata is never allowed. */
  readonly allowsPrivate: boolean;
  readonly timeoutMs?: number | undefined;
}

/**
 * Connects only to addresses that a rule allows, for the `connect` option of undici. Names are checked when they are
 * resolved, by the address that the connection uses, and addresses in URLs before the connection, also after redirects.
 */
export function guardedConnect({ allowsPrivate, timeoutMs }: ConnectRule): buildConnector.connector {
  const refusal = (host: string, address: string): Error =>
    new Error(
      host === address
        ? `connections to ${address} are not allowed`
        : `${host} has the address ${address}, to which connections are not allowed`,
    );
  const lookup = guardedLookup({ allowsPrivate, refusal });
  const connect = buildConnector({ lookup, ...(timeoutMs !== undefined && { timeout: timeoutMs }) });
  return (options, callback) => {
    const { hostname } = options;
    if (isIpAddress(hostname) && !isAllowedAddress(addressKind(hostname), allowsPrivate))
      callback(refusal(hostname, hostname), null);
    else connect(options, callback);
  };
}
