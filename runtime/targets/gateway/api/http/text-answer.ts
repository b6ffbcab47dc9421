import type { Context } from 'hono';
import { textBody } from './text-body.ts';

export interface TextAnswer {
  readonly mediaType: string;
  readonly filename: string;
}

export const textAnswer = (c: Context, pieces: AsyncGenerator<string, void>, about: TextAnswer): Response =>
  attachment(c, textBody(pieces), about);

export const bytesAnswer = (
  c: Context,
  pieces: AsyncGenerator<Uint8Array, void>,
  about: TextAnswer,
): Response => attachment(c, ReadableStream.from(pieces), about);

function attachment(
  c: Context,
  body: ReadableStream<Uint8Array>,
  { mediaType, filename }: TextAnswer,
): Response {
  return c.body(body, 200, {
    'Content-Type': mediaType,
    'Content-Disposition': attachmentOf(filename),
  });
}

/** The header of a file that browsers save instead of showing it. */
export function attachmentOf(name: string): string {
  const filename = name.slice(0, MAX_NAME_LENGTH).toWellFormed();
  return `attachment; filename="${filename.replaceAll(/[^\w.-]/g, '_')}"; filename*=UTF-8''${encodeURIComponent(filename)}`;
}

const MAX_NAME_LENGTH = 300;
