import type { PluginHeaders } from './exchange.ts';

/** Between two hops only, or derived from the body: not for plugins to decide. */
const FRAMING = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Of a header that is there more than once and cannot be written as one, plugins see the first. */
export function showHeaders(headers: Headers): PluginHeaders {
  const shown: Record<string, string> = {};
  // Programs in Go see the host beside the headers.
  for (const [name, value] of headers) if (name !== 'host') shown[canonicalName(name)] ??= value;
  return shown;
}

/** Sets what differs from what was shown, so that headers nobody touched keep all their values. */
export function changeHeaders(headers: Headers, shown: PluginHeaders, changed: PluginHeaders): void {
  for (const [name, value] of Object.entries(changed)) {
    if (FRAMING.has(name.toLowerCase()) || shown[canonicalName(name)] === value) continue;
    if (value === '') headers.delete(name);
    else headers.set(name, value);
  }
}

/** As Go writes header names, which plugins for it rely on: https://pkg.go.dev/net/http#CanonicalHeaderKey */
export const canonicalName = (name: string): string =>
  name.toLowerCase().replaceAll(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());
