/** Converts a host for Node's `listen`: `[::1]` without its brackets. */
export function bindHost(hostname: string): string {
  return /^\[(.*)\]$/.exec(hostname.trim())?.[1] ?? hostname.trim();
}

/** Formats `host:port` as in URLs: IPv6 addresses in brackets. */
export function formatAddress(hostname: string, port: number): string {
  const host = bindHost(hostname);
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
