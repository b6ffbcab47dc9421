/** The host as Node's `listen` takes it: `[::1]` without its brackets. */
export function bindHost(hostname: string): string {
  return /^\[(.*)\]$/.exec(hostname.trim())?.[1] ?? hostname.trim();
}

/** `host:port` as people and URLs write it: an IPv6 address in brackets. */
export function formatAddress(hostname: string, port: number): string {
  const host = bindHost(hostname);
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
