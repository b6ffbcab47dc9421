import { bindHost } from '#serve/bind.ts';

/**
 * Parses a listen address, `host:port`; undefined if invalid. If the host is missing, the address
 * stands for all addresses.
 */
export function parseAddress(text: string): string | undefined {
  const [, host, port] = /^(\[[\da-f:.]+\]|[^\s:/]*):(\d{1,5})$/i.exec(text) ?? [];
  if (host === undefined || Number(port) > 65_535) return undefined;
  return host === '' ? `0.0.0.0:${port}` : text;
}

/** Splits `host:port` into its parts. */
export function splitAddress(address: string): { readonly hostname: string; readonly port: number } {
  const colon = address.lastIndexOf(':');
  return { hostname: bindHost(address.slice(0, colon)), port: Number(address.slice(colon + 1)) };
}
