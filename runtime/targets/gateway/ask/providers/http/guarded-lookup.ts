import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { configError } from '../../../../../contract/errors.ts';
import { type AddressKind, addressKind, isIpAddress } from '../../../shared/public-address.ts';

/**
 * A DNS lookup that rejects addresses that providers are not allowed to have. It checks the address that the connection uses, so
 * a name cannot resolve to a public address for the check and to a private one for the connection.
 */
export function guardedLookup(local: boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '');
      const refused = found.find(({ address }) => !isAllowed(addressKind(address), local));
      const [first] = found;
      if (refused) return callback(refusal(hostname, refused.address, local), '');
      if (options.all) return callback(null, found);
      return callback(null, first?.address ?? '', first?.family ?? 0);
    });
  };
}

/** Checks the URL of a provider, without resolving its host name. Throws a ConfigError. */
export function checkedUrl(name: string, text: string, local: boolean): URL {
  const url = URL.parse(text);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw configError(`Provider \`${name}\`: the URL must start with http:// or https://.`);
  }
  if (url.username !== '' || url.password !== '' || url.hash !== '') {
    throw configError(
      `Provider \`${name}\`: the URL can only have a host, a path and a query. Put credentials into \`api_key\` or \`headers\`.`,
    );
  }
  if (isIpAddress(url.hostname) && !isAllowed(addressKind(url.hostname), local)) {
    throw refusal(name, url.hostname, local);
  }
  return url;
}

const isAllowed = (kind: AddressKind, local: boolean): boolean =>
  kind === 'public' || (kind === 'private' && local);

function refusal(name: string, address: string, local: boolean): Error {
  const remedy = local ? 'Use a public or private address.' : 'Set `local: true` to allow a private address.';
  return configError(`\`${name}\` has the address ${address}, which is not public. ${remedy}`);
}
