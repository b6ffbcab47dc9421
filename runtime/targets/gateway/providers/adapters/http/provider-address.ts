import type { LookupFunction } from 'node:net';
import { configError } from '#contract/errors.ts';
import { addressKind, isIpAddress } from '#core/net/public-address.ts';
import { guardedLookup, isAllowedAddress } from '#platform/guarded-lookup.ts';

/** A DNS lookup that rejects addresses that providers are not allowed to have. */
export const providerLookup = (local: boolean): LookupFunction =>
  guardedLookup({ allowsPrivate: local, refusal: (name, address) => refusal(name, address, local) });

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
  if (isIpAddress(url.hostname) && !isAllowedAddress(addressKind(url.hostname), local)) {
    throw refusal(name, url.hostname, local);
  }
  return url;
}

function refusal(name: string, address: string, local: boolean): Error {
  const remedy = local ? 'Use a public or private address.' : 'Set `local: true` to allow a private address.';
  return configError(`\`${name}\` has the address ${address}, which is not public. ${remedy}`);
}
