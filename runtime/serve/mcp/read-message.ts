import { readRequestBody } from '@modelcontextprotocol/sdk/server/requestBody.js';
import { HTTP_ERRORS } from './http-errors.ts';

/** As in the SDK. */
const DEFAULT_MAX_BODY_BYTES = 4 * 1024 * 1024;

export interface ReadMessageOptions {
  readonly parse: (text: string) => unknown;
  readonly maxBytes?: number | undefined;
}

/** What a POST carries, or the answer to a body that cannot be read. */
export async function readMessage(
  request: Request,
  { parse, maxBytes = DEFAULT_MAX_BODY_BYTES }: ReadMessageOptions,
): Promise<{ readonly message: unknown } | { readonly refusal: Response }> {
  const text = await textOf(request, maxBytes);
  if (text === undefined) return { refusal: HTTP_ERRORS.tooLarge(maxBytes) };
  try {
    return { message: parse(text) };
  } catch {
    return { refusal: HTTP_ERRORS.notJson() };
  }
}

async function textOf(request: Request, maxBytes: number): Promise<string | undefined> {
  const announced = request.headers.get('content-length');
  // Node ends a body at its announced length, and reading it in one piece makes no stream.
  if (announced !== null && Number(announced) <= maxBytes) return await request.text();
  const body = await readRequestBody(request, maxBytes);
  return body.tooLarge ? undefined : body.text;
}
