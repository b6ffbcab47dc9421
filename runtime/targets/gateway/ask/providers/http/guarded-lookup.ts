import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { configError } from '../../../../../contract/errors.ts';
import { type AddressKind, addressKind, isIpAddress } from '../../../shared/public-address.ts';

/**
 * Refuses addresses that a provider may not have. Checked when a connection is made, with the very address that it is made
 * to: a name that meant a public address before cannot come to mean a private one in between.
 */
export function guardedLookup(local: boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '');
      const refused = found.find(({ address }) => !mayConnect(addressKind(address), local));
      const [first] = found;
      if (refused) return callback(refusal(hostname, refused.address, local), '');
      if (options.all) return callback(null, found);
      return callback(null, first?.address ?? '', first?.family ?? 0);
    });
  };
}

/** The URL of a provider, checked as far as it can be without asking for its address. Throws a ConfigError. */
export function checkedUrl(name: string, text: string, local: boolean): URL {
  const url = URL.parse(text);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw configError(`Provider \`${name}\`: its URL must begin with http:// or https://.`);
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw configError(
      `Provider \`${name}\`: its URL holds more than a host and a path. Put credentials into \`api_key\` or \`headers\`.`,
    );
  }
  if (isIpAddress(url.hostname) && !mayConnect(addressKind(url.hostname), local)) {
    throw refusal(name, url.hostname, local);
  }
  return url;
}

const mayConnect = (kind: AddressKind, local: boolean): boolean =>
  kind === 'public' || (kind === 'private' && local);

function refusal(name: string, address: string, local: boolean): Error {
  const way = local ? 'No provider can be there.' : 'Set `local: true` if the provider really is there.';
  return configError(`\`${name}\` is at ${address}, which is not an address of the internet. ${way}`);
}
