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
  const body = await readRequestBody(request, maxBytes);
  if (body.tooLarge) return { refusal: HTTP_ERRORS.tooLarge(maxBytes) };
  try {
    return { message: parse(body.text) };
  } catch {
    return { refusal: HTTP_ERRORS.notJson() };
  }
}
