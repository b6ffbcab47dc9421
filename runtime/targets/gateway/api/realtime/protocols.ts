import type { HeaderReader } from '../../accounts/identity/identity.ts';

/** Browsers cannot set headers of WebSockets, so their clients send the key as the name of a protocol. */
const KEY_PROTOCOL = 'openai-insecure-api-key.';

export const protocolsIn = (header: string | undefined): string[] =>
  (header ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

export const keyInProtocols = (protocols: readonly string[]): string | undefined =>
  protocols.find((name) => name.startsWith(KEY_PROTOCOL))?.slice(KEY_PROTOCOL.length);

/** Headers with a key from a protocol, which is used if no header has one. */
export const withProtocolKey = (headers: HeaderReader, key: string | undefined): HeaderReader => ({
  get: (name) => headers.get(name) ?? (name.toLowerCase() === 'x-api-key' ? key : undefined),
});
