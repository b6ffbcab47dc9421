/** Raw HTTP requests, for features that the SDK's client neither sends nor exposes. */
const HEADERS = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };

export interface RawRequest {
  readonly body: string | object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export const post = (
  origin: string,
  path: string,
  { body, headers = {}, signal }: RawRequest,
): Promise<Response> =>
  fetch(new URL(path, origin), {
    method: 'POST',
    headers: { ...HEADERS, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal && { signal }),
  });

/** Opens a session; resolves with the headers for all further requests. */
export async function openSession(
  origin: string,
  path = '/mcp',
  headers: Readonly<Record<string, string>> = {},
): Promise<Record<string, string>> {
  const answer = await post(origin, path, {
    headers,
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
    },
  });
  await answer.text();
  const session = answer.headers.get('mcp-session-id');
  if (session === null) throw new Error(`no session: ${answer.status}`);
  return { ...headers, 'mcp-session-id': session };
}
