import { AppError } from '../../../contract/errors.ts';

/** One field or file of a multipart form, https://www.rfc-editor.org/rfc/rfc7578. Unread content is skipped. */
export interface Part {
  readonly name: string;
  /** File name; undefined if the part is not a file. */
  readonly filename: string | undefined;
  /** Content type, if the part names one. */
  readonly type: string | undefined;
  readonly bytes: AsyncGenerator<Uint8Array, void>;
}

const MAX_HEADER_BYTES = 16_384;
const CRLF = Buffer.from('\r\n');

/** Returns the boundary of a content type; undefined if it is not a multipart form. */
export function boundaryOf(contentType: string | undefined): string | undefined {
  const [, quoted, plain] =
    /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i.exec(
      contentType ?? '',
    ) ?? [];
  return quoted ?? plain;
}

/** Yields the parts of a form as they arrive; only a piece of a file is held in memory. Throws a MalformedError. */
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
      // Bytes that could be the start of a delimiter are kept until the next chunk.
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

function namesIn(headers: string): Omit<Part, 'bytes'> {
  const [, disposition] = /^content-disposition:\s*form-data\s*;(.*)$/im.exec(headers) ?? [];
  const value = (name: string): string | undefined => {
    const [, quoted, plain] =
      new RegExp(String.raw`(?:^|;)\s*${name}=(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))`, 'i').exec(
        disposition ?? '',
      ) ?? [];
    return quoted?.replaceAll(/\\(.)/g, '$1').replaceAll('%22', '"') ?? plain;
  };
  const name = value('name');
  if (name === undefined)
    throw new AppError('MalformedError', 'Malformed multipart body: a part has no name.');
  const [, type] = /^content-type:[ \t]*(.*?)[ \t]*$/im.exec(headers) ?? [];
  return { name, filename: value('filename'), type };
}
