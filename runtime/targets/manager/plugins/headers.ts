import type { PluginHeaders } from './exchange.ts';

/**
 * Headers that plugins cannot change, because they belong to a single connection or are derived
 * from the body.
 */
const FRAMING = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Converts headers for plugins. If a header has several values that cannot be combined, plugins
 * receive the first value.
 */
export function pluginHeaders(headers: Headers): PluginHeaders {
  const converted: Record<string, string> = {};
  // As in Go, the host is not among the headers.
  for (const [name, value] of headers) if (name !== 'host') converted[canonicalName(name)] ??= value;
  return converted;
}

/** Sets the headers that a plugin has changed. Headers that it has not changed keep all their values. */
export function changeHeaders(headers: Headers, before: PluginHeaders, after: PluginHeaders): void {
  for (const [name, value] of Object.entries(after)) {
    if (FRAMING.has(name.toLowerCase()) || before[canonicalName(name)] === value) continue;
    if (value === '') headers.delete(name);
    else headers.set(name, value);
  }
}

/**
 * Capitalizes a header name like Go, because mcpd plugins rely on it:
 * https://pkg.go.dev/net/http#CanonicalHeaderKey
 */
export const canonicalName = (name: string): string =>
  name.toLowerCase().replaceAll(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());
