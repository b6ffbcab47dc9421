import type { Socket } from 'node:net';
import type { Context } from 'hono';
import type { PluginRequest } from './exchange.ts';
import { changeHeaders, pluginHeaders } from './headers.ts';

export function requestOf(c: Context, body: Uint8Array): PluginRequest {
  const { method, url } = c.req.raw;
  const headers = new Headers(c.req.raw.headers);
  // The body has been decompressed.
  headers.delete('Content-Encoding');
  const { pathname, search } = new URL(url);
  return {
    method,
    url,
    path: decode(pathname),
    requestUri: pathname + search,
    remoteAddr: remoteAddress(c),
    headers: pluginHeaders(headers),
    body,
  };
}

interface RequestChange {
  readonly original: PluginRequest;
  readonly changed: PluginRequest;
  readonly signal: AbortSignal;
}

/** Returns the request with the changes of plugins. It has a new body, because the original one has been read. */
export function applyToRequest(
  { url, headers: originalHeaders }: Request,
  { original, changed, signal }: RequestChange,
): Request {
  const headers = new Headers(originalHeaders);
  changeHeaders(headers, original.headers, changed.headers);
  const hasBody = changed.body.length > 0 && !/^(?:GET|HEAD)$/i.test(changed.method);
  headers.delete('Transfer-Encoding');
  headers.delete('Content-Encoding');
  if (hasBody) headers.set('Content-Length', String(changed.body.length));
  else headers.delete('Content-Length');
  const target = new URL(url);
  const [path = ''] = changed.requestUri.split('?', 1);
  target.pathname = path;
  target.search = changed.requestUri.slice(path.length);
  return new Request(target, {
    method: changed.method,
    headers,
    signal,
    body: hasBody ? new Uint8Array(changed.body) : null,
  });
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Returns the address of the client without the port, because plugins use it to identify a client. */
function remoteAddress(c: Context): string {
  const bindings: { readonly incoming?: { readonly socket?: Socket } } | undefined = c.env;
  return bindings?.incoming?.socket?.remoteAddress ?? '';
}
