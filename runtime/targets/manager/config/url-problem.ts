import { maskUrl } from './mask-values.ts';

/** Explains why a URL is invalid. `written` is the text in the servers file; a secret URL has none and is not shown. */
export function urlProblem(text: string, written: string | undefined): string | undefined {
  const url = URL.parse(text);
  if (url && ['http:', 'https:'].includes(url.protocol)) return undefined;
  const shown = written === undefined ? '' : `, not ${JSON.stringify(maskUrl(written))}`;
  return `must start with http:// or https:// and contain a host, e.g. "https://mcp.example/mcp"${shown}`;
}
