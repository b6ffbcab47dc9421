import { createGzip } from 'node:zlib';
import { compressStream } from '../../adapters/compress-stream.ts';

/** Measured in docs/decisions/0053: higher levels are not worth their time. */
const LEVEL = 4;
const CHUNK = 1024 * 1024;

/** Compresses chunks. Each chunk is only valid until the next one is requested. */
export const gzipStream = (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> =>
  compressStream(chunks, createGzip({ level: LEVEL, chunkSize: CHUNK }));
