import type { PluginAnswer, PluginHeaders, PluginRequest, PluginResponse } from './exchange.ts';
import { canonicalName } from './headers.ts';

/** Applies a plugin's changes to a request. Missing and empty fields do not change anything. */
export function changeRequest(
  request: PluginRequest,
  { modifiedRequest: changes }: PluginAnswer,
): PluginRequest {
  if (!changes) return request;
  const path = changes.path || request.path;
  const requestUri =
    changes.requestUri && changes.requestUri !== request.requestUri
      ? changes.requestUri
      : withPath(request, path);
  return {
    ...request,
    method: changes.method || request.method,
    path,
    requestUri,
    headers: mergeHeaders(request.headers, changes.headers),
    body: changeBody(request.body, changes.body),
  };
}

export const changeResponse = (response: PluginResponse, changes: PluginAnswer): PluginResponse => ({
  statusCode: changes.statusCode || response.statusCode,
  headers: mergeHeaders(response.headers, changes.headers),
  body: changeBody(response.body, changes.body),
});

function withPath({ path, requestUri }: PluginRequest, newPath: string): string {
  if (newPath === path) return requestUri;
  const query = requestUri.includes('?') ? requestUri.slice(requestUri.indexOf('?')) : '';
  return newPath.split('/').map(encodeURIComponent).join('/') + query;
}

const mergeHeaders = (headers: PluginHeaders, changes: PluginHeaders = {}): PluginHeaders => ({
  ...headers,
  ...Object.fromEntries(Object.entries(changes).map(([name, value]) => [canonicalName(name), value])),
});

const changeBody = (body: Uint8Array, newBody: Uint8Array = new Uint8Array()): Uint8Array =>
  newBody.length > 0 ? newBody : body;

/** Throws if a plugin's response cannot become an HTTP message. */
export function checkAnswer({ statusCode, headers = {}, modifiedRequest }: PluginAnswer): void {
  if (statusCode && !(statusCode >= 200 && statusCode <= 599)) {
    throw new Error(`it returned status ${statusCode}, which is not between 200 and 599`);
  }
  checkHeaders(headers);
  checkHeaders(modifiedRequest?.headers ?? {});
}

function checkHeaders(headers: PluginHeaders): void {
  try {
    void new Headers(headers);
  } catch (error) {
    throw new Error('it returned invalid HTTP headers', { cause: error });
  }
}
