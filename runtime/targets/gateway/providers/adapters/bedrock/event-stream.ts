import { crc32 } from 'node:zlib';

/** A message of Amazon's binary streams. */
export interface StreamMessage {
  /** Headers of text; others are left out, as these services do not send them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: Buffer;
}

/** Two lengths and their checksum. */
const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;
/** Amazon's own limit is 24 MiB. */
const MAX_MESSAGE_BYTES = 25 * 1024 * 1024;
const TEXT = 7;
/** Bytes of the values of headers that have a fixed length, by their type. */
const FIXED: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 };

/**
 * Splits a stream into its messages, and checks their checksums. The returned function takes the next bytes, and throws if they are
 * not a stream of messages.
 * @see https://docs.aws.amazon.com/transcribe/latest/dg/event-stream.html
 */
export function createChunkedMessages(maxBytes: number = MAX_MESSAGE_BYTES) {
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let needed = PRELUDE_BYTES;
  return {
    push(chunk: Buffer): StreamMessage[] {
      waiting.push(chunk);
      waitingBytes += chunk.length;
      if (waitingBytes < needed) return [];
      let bytes = waiting.length === 1 ? chunk : Buffer.concat(waiting, waitingBytes);
      const messages: StreamMessage[] = [];
      for (needed = lengthOf(bytes, maxBytes); bytes.length >= needed; needed = lengthOf(bytes, maxBytes)) {
        messages.push(readMessage(bytes.subarray(0, needed)));
        bytes = bytes.subarray(needed);
      }
      waiting = [bytes];
      waitingBytes = bytes.length;
      return messages;
    },
    /** Whether all bytes so far were whole messages. */
    isWhole: (): boolean => waitingBytes === 0,
  };
}

/** The length of the message that begins here; that of a prelude if it has not arrived. */
function lengthOf(bytes: Buffer, maxBytes: number): number {
  if (bytes.length < PRELUDE_BYTES) return PRELUDE_BYTES;
  const length = bytes.readUInt32BE(0);
  if (crc32(bytes.subarray(0, 8)) !== bytes.readUInt32BE(8))
    throw new Error('the checksum of a message is wrong');
  if (length > maxBytes) throw new Error(`a message has ${length} bytes; the maximum is ${maxBytes}`);
  return Math.max(length, PRELUDE_BYTES + CHECKSUM_BYTES);
}

function readMessage(bytes: Buffer): StreamMessage {
  const end = bytes.length - CHECKSUM_BYTES;
  if (crc32(bytes.subarray(0, end)) !== bytes.readUInt32BE(end))
    throw new Error('the checksum of a message is wrong');
  const headersEnd = PRELUDE_BYTES + bytes.readUInt32BE(4);
  if (headersEnd > end) throw new Error('the headers of a message are longer than the message');
  return {
    headers: readHeaders(bytes.subarray(PRELUDE_BYTES, headersEnd)),
    payload: bytes.subarray(headersEnd, end),
  };
}

function readHeaders(bytes: Buffer): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let at = 0; at < bytes.length;) {
    const nameEnd = at + 1 + bytes.readUInt8(at);
    const name = bytes.toString('utf8', at + 1, nameEnd);
    const type = bytes.readUInt8(nameEnd);
    const fixed = FIXED[type];
    const start = nameEnd + (fixed === undefined ? 3 : 1);
    const length = fixed ?? bytes.readUInt16BE(nameEnd + 1);
    if (start + length > bytes.length) throw new Error('a header is longer than the headers of its message');
    if (type === TEXT) headers[name] = bytes.toString('utf8', start, start + length);
    at = start + length;
  }
  return headers;
}
