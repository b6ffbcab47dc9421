import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

export interface HttpAnswer {
  readonly status: number;
  readonly type: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

interface HttpRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A request with full control over its headers: `fetch` does not allow some of them. */
export async function ask(
  url: string,
  { method = 'GET', headers = {}, body }: HttpRequest = {},
): Promise<HttpAnswer> {
  const asked = request(url, { method, headers, agent: false }).end(body);
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  return {
    status: answer.statusCode ?? 0,
    type: answer.headers['content-type'],
    headers: answer.headers,
    text: await text(answer),
  };
}

export const JSON_TYPE = { 'content-type': 'application/json' };

/** A POST request with a value as JSON, or with a text unchanged. */
export const post = (
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<HttpAnswer> =>
  ask(url, {
    method: 'POST',
    headers: { ...JSON_TYPE, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
