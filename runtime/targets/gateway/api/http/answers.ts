import type { Context } from 'hono';

const CHUNK_LENGTH = 65_536;

/** Streams text while it is being generated, so that long text does not have to fit into memory. */
function textBody(pieces: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const reader = pieces[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      let text = '';
      while (text.length < CHUNK_LENGTH) {
        const { done, value } = await reader.next();
        if (done !== true) {
          text += value;
          continue;
        }
        if (text !== '') controller.enqueue(encoder.encode(text));
        controller.close();
        return;
      }
      controller.enqueue(encoder.encode(text));
    },
    async cancel() {
      await reader.return?.();
    },
  });
}

/** Responds with CSV lines, which are read while they are being sent. */
export const csvAnswer = (c: Context, lines: AsyncIterable<string>, filename: string): Response =>
  c.body(textBody(lines), 200, {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename="${filename}"`,
  });

interface TextAnswer {
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

/** The header that makes browsers save a response as a file instead of showing it. */
export function attachmentOf(name: string): string {
  const filename = name.slice(0, MAX_NAME_LENGTH).toWellFormed();
  return `attachment; filename="${filename.replaceAll(/[^\w.-]/g, '_')}"; filename*=UTF-8''${encodeURIComponent(filename)}`;
}

const MAX_NAME_LENGTH = 300;
