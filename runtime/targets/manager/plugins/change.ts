import type { PluginAnswer, PluginHeaders, PluginRequest, PluginResponse } from './exchange.ts';
import { canonicalName } from './headers.ts';

/** The request as the answer wants it. What the plugin left out or empty stays: many fill in only what they change. */
export function changeRequest(
  request: PluginRequest,
  { modifiedRequest: wanted }: PluginAnswer,
): PluginRequest {
  if (!wanted) return request;
  const path = wanted.path || request.path;
  const requestUri =
    wanted.requestUri && wanted.requestUri !== request.requestUri
      ? wanted.requestUri
      : withPath(request, path);
  return {
    ...request,
    method: wanted.method || request.method,
    path,
    requestUri,
    headers: changeShown(request.headers, wanted.headers),
    body: changeBody(request.body, wanted.body),
  };
}

export const changeResponse = (response: PluginResponse, wanted: PluginAnswer): PluginResponse => ({
  statusCode: wanted.statusCode || response.statusCode,
  headers: changeShown(response.headers, wanted.headers),
  body: changeBody(response.body, wanted.body),
});

function withPath({ path, requestUri }: PluginRequest, wanted: string): string {
  if (wanted === path) return requestUri;
  const query = requestUri.includes('?') ? requestUri.slice(requestUri.indexOf('?')) : '';
  return wanted.split('/').map(encodeURIComponent).join('/') + query;
}

const changeShown = (headers: PluginHeaders, wanted: PluginHeaders = {}): PluginHeaders => ({
  ...headers,
  ...Object.fromEntries(Object.entries(wanted).map(([name, value]) => [canonicalName(name), value])),
});

const changeBody = (body: Uint8Array, wanted: Uint8Array = new Uint8Array()): Uint8Array =>
  wanted.length > 0 ? wanted : body;

/** Throws if no HTTP message could be made of what the plugin says. */
export function checkAnswer({ statusCode, headers = {}, modifiedRequest }: PluginAnswer): void {
  if (statusCode && !(statusCode >= 200 && statusCode <= 599)) {
    throw new Error(`it answered with the status ${statusCode}, which is not from 200 to 599`);
  }
  checkHeaders(headers);
  checkHeaders(modifiedRequest?.headers ?? {});
}

function checkHeaders(headers: PluginHeaders): void {
  try {
    void new Headers(headers);
  } catch (error) {
    throw new Error('it answered with headers that HTTP does not allow', { cause: error });
  }
}
