import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { type AddressKind, addressKind } from '#core/net/public-address.ts';

/** Which addresses a connection may use, and the error for all others. */
export interface AddressRule {
  readonly allowsPrivate: boolean;
  readonly refusal: (hostname: string, address: string) => Error;
}

/**
 * A DNS lookup that rejects addresses that a rule does not allow. It checks the address that the
 * connection uses, so a name cannot resolve to a public address for the check and to a private one
 * for the connection.
 */
export function guardedLookup({ allowsPrivate, refusal }: AddressRule): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '');
      const refused = found.find(({ address }) => !isAllowedAddress(addressKind(address), allowsPrivate));
      const [first] = found;
      if (refused) return callback(refusal(hostname, refused.address), '');
      if (options.all) return callback(null, found);
      return callback(null, first?.address ?? '', first?.family ?? 0);
    });
  };
}

export const isAllowedAddress = (kind: AddressKind, allowsPrivate: boolean): boolean =>
  kind === 'public' || (kind === 'private' && allowsPrivate);
