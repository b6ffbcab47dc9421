import type { Socket } from 'node:net';
import type { Context } from 'hono';
import type { PluginRequest } from './exchange.ts';
import { changeHeaders, showHeaders } from './headers.ts';

export function requestOf(c: Context, body: Uint8Array): PluginRequest {
  const { method, url, headers } = c.req.raw;
  const { pathname, search } = new URL(url);
  return {
    method,
    url,
    path: decode(pathname),
    requestUri: pathname + search,
    remoteAddr: remoteAddress(c),
    headers: showHeaders(headers),
    body,
  };
}

/** The request as plugins want it. Its body can be read again, for what came was read already. */
export function applyToRequest(
  { url, headers: original }: Request,
  { shown, wanted, signal }: { shown: PluginRequest; wanted: PluginRequest; signal: AbortSignal },
): Request {
  const headers = new Headers(original);
  changeHeaders(headers, shown.headers, wanted.headers);
  const hasBody = wanted.body.length > 0 && !/^(?:GET|HEAD)$/i.test(wanted.method);
  headers.delete('Transfer-Encoding');
  if (hasBody) headers.set('Content-Length', String(wanted.body.length));
  else headers.delete('Content-Length');
  const target = new URL(url);
  const [, path = '', query = ''] = /^([^?]*)(.*)$/s.exec(wanted.requestUri) ?? [];
  target.pathname = path;
  target.search = query;
  return new Request(target, {
    method: wanted.method,
    headers,
    signal,
    body: hasBody ? new Uint8Array(wanted.body) : null,
  });
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Without the port, for plugins count by it what one client does. */
function remoteAddress(c: Context): string {
  const bindings: { readonly incoming?: { readonly socket?: Socket } } | undefined = c.env;
  return bindings?.incoming?.socket?.remoteAddress ?? '';
}
