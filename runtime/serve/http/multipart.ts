import { AppError } from '#contract/errors.ts';
import { headerParameters } from '#core/net/header-parameters.ts';

/** A field or file in a multipart form, https://www.rfc-editor.org/rfc/rfc7578. Unread content is skipped. */
export interface Part {
  readonly name: string;
  /** File name; undefined if the part is not a file. */
  readonly filename: string | undefined;
  /** Content type, if the part has one. */
  readonly type: string | undefined;
  readonly bytes: AsyncGenerator<Uint8Array, void>;
}

const MAX_HEADER_BYTES = 16_384;
const MAX_BOUNDARY_LENGTH = 200;
const CRLF = Buffer.from('\r\n');

/** Returns a content type's boundary; undefined if it is not a multipart form. */
export function boundaryOf(contentType: string | undefined): string | undefined {
  if (contentType === undefined || !/^multipart\/form-data\s*;/i.test(contentType)) return undefined;
  const boundary = headerParameters(contentType).parameters.get('boundary') ?? '';
  return boundary === '' || boundary.length > MAX_BOUNDARY_LENGTH ? undefined : boundary;
}

/** Yields a form's parts as they arrive; only one piece of a file is in memory at a time. Throws a MalformedError. */
export async function* readMultipart(
  body: AsyncIterable<Uint8Array>,
  boundary: string,
): AsyncGenerator<Part, void> {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const pieces = body[Symbol.asyncIterator]();
  // The first delimiter is not preceded by a line end.
  let buffer: Buffer = CRLF;
  const more = async (): Promise<void> => {
    const { done, value } = await pieces.next();
    if (done === true) throw new AppError('MalformedError', 'Malformed multipart body: it is truncated.');
    buffer = Buffer.concat([buffer, value]);
  };
  const upTo = async (mark: Buffer, maxLength: number): Promise<Buffer> => {
    for (;;) {
      const at = buffer.indexOf(mark);
      if (at >= 0) {
        const found = buffer.subarray(0, at);
        buffer = buffer.subarray(at + mark.length);
        return found;
      }
      if (buffer.length > maxLength)
        throw new AppError('MalformedError', 'Malformed multipart body: boundary mismatch.');
      await more();
    }
  };
  async function* content(): AsyncGenerator<Uint8Array, void> {
    for (;;) {
      const at = buffer.indexOf(delimiter);
      // Keeps bytes that could be the start of a delimiter until the next chunk.
      const end = at >= 0 ? at : Math.max(0, buffer.length - delimiter.length + 1);
      const piece = buffer.subarray(0, end);
      buffer = buffer.subarray(at >= 0 ? at + delimiter.length : end);
      if (piece.length > 0) yield piece;
      if (at >= 0) return;
      await more();
    }
  }

  try {
    await upTo(delimiter, MAX_HEADER_BYTES);
    for (;;) {
      while (buffer.length < 2) await more();
      if (buffer.subarray(0, 2).toString('latin1') === '--') return;
      await upTo(CRLF, MAX_HEADER_BYTES);
      // A part without headers starts with an empty line.
      buffer = Buffer.concat([CRLF, buffer]);
      const headers = await upTo(Buffer.from('\r\n\r\n'), MAX_HEADER_BYTES);
      const bytes = content();
      yield { ...namesIn(headers.toString('utf8')), bytes };
      for await (const piece of bytes) void piece;
    }
  } finally {
    await pieces.return?.();
  }
}

function namesIn(text: string): Omit<Part, 'bytes'> {
  const headers = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const end = line.indexOf(':');
    const name = line.slice(0, Math.max(0, end)).toLowerCase();
    if (!headers.has(name)) headers.set(name, line.slice(end + 1).trim());
  }
  const disposition = headers.get('content-disposition') ?? '';
  const { parameters } = /^form-data\s*;/i.test(disposition)
    ? headerParameters(disposition)
    : { parameters: new Map<string, string>() };
  // Browsers encode a quotation mark in a name as %22.
  const value = (key: string): string | undefined => parameters.get(key)?.replaceAll('%22', '"');
  const name = value('name');
  if (name === undefined)
    throw new AppError('MalformedError', 'Malformed multipart body: a part has no name.');
  return { name, filename: value('filename'), type: headers.get('content-type') };
}
