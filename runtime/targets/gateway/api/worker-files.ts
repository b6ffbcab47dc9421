import { Readable } from 'node:stream';
import type { Context } from 'hono';
import { inputError } from '#contract/errors.ts';
import type { OpenFile } from '../evaluation/jobs/files/open-file.ts';

/** A part of a file. `end` is the position after its last byte. */
interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Reads a Range header (RFC 9110): the part of a file of this size, undefined for the whole file, or `unsatisfiable`. As the standard
 * allows, several ranges and other units are ignored.
 */
export function readByteRange(
  header: string | undefined,
  size: number,
): ByteRange | 'unsatisfiable' | undefined {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || first + last === '') return undefined;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return undefined;
  if (start >= size) return 'unsatisfiable';
  return { start, end: last === '' ? size : Math.min(Number(last) + 1, size) };
}

/** Answers with a file, or with the part of it that the request asks for, and closes it. Throws an InputError for a part after its end. */
export async function fileAnswer(c: Context, { handle, bytes, sha256 }: OpenFile): Promise<Response> {
  const range = readByteRange(c.req.header('range'), bytes);
  if (range === 'unsatisfiable') {
    await handle.close();
    throw inputError(`The file has ${bytes} bytes, so it has no range \`${c.req.header('range')}\`.`);
  }
  const { start, end } = range ?? { start: 0, end: bytes };
  const headers = {
    'content-type': 'application/octet-stream',
    'content-length': String(end - start),
    'accept-ranges': 'bytes',
    etag: `"${sha256}"`,
    ...(range && { 'content-range': `bytes ${start}-${end - 1}/${bytes}` }),
  };
  const status = range ? 206 : 200;
  if (c.req.method === 'HEAD' || start === end) {
    await handle.close();
    return c.newResponse(null, status, headers);
  }
  // The stream closes the file, also when the client disconnects.
  const stream = handle.createReadStream({ start, end: end - 1 });
  return c.newResponse(Readable.toWeb(stream) as ReadableStream, status, headers);
}
