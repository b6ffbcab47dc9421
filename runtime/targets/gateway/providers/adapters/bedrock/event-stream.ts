import { lookup } from '#core/values/lookup.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { membersOf } from '#core/json/members-of.ts';
import { eventText } from '../../streams/stream.ts';
import type { UpstreamBody, Upstream, UpstreamAnswer } from '../upstream.ts';
import { crc32 } from 'node:zlib';

const BINARY = 'application/vnd.amazon.eventstream';

/**
 * An upstream that converts binary streams to server-sent events, so that they can be read like those of
 * other providers.
 */
export const withEvents = (upstream: Upstream): Upstream => ({
  async request(request): Promise<UpstreamAnswer> {
    const isStream = request.headers?.['accept'] === 'text/event-stream';
    const own = isStream ? { ...request.headers, accept: BINARY } : request.headers;
    const answer = await upstream.request({ ...request, headers: own });
    if (!String(answer.headers['content-type']).startsWith(BINARY)) return answer;
    const headers = { ...answer.headers, 'content-type': 'text/event-stream' };
    return { ...answer, headers, body: asEvents(answer.body) };
  },
  close: () => upstream.close(),
});

function asEvents(body: UpstreamBody): UpstreamBody {
  const splitter = createChunkedMessages();
  const next = async (): Promise<Buffer | undefined> => {
    for (;;) {
      const chunk = await body.next();
      if (!chunk) {
        if (!splitter.isWhole()) throw new Error('the stream ended in the middle of a message');
        return undefined;
      }
      const messages = splitter.push(chunk);
      if (messages.length > 0) return Buffer.from(messages.map(eventOf).join(''));
    }
  };
  return {
    next,
    // Not converted, because only responses with an error status are read as a whole, and they are not
    // binary.
    collect: (limit) => body.collect(limit),
    destroy: () => body.destroy(),
  };
}

/** The event in a message. Chunks of InvokeModel contain an event of the model's own API. */
function eventOf({ headers, payload }: StreamMessage): string {
  const json = membersOf(parseJsonText(payload.toString('utf8')));
  if (headers[':message-type'] !== 'event') return errorEvent(headers, json);
  const name = headers[':event-type'] ?? '';
  if (name !== 'chunk') return eventText(json, name);
  const text = Buffer.from(String(json['bytes']), 'base64').toString('utf8');
  const type = String(membersOf(parseJsonText(text))['type']);
  return `event: ${type}\ndata: ${text}\n\n`;
}

/** The HTTP statuses for exceptions in streams. Complete responses have the same statuses. */
const STATUS = lookup<number>({
  throttlingException: 429,
  validationException: 400,
  modelTimeoutException: 408,
  serviceUnavailableException: 503,
});

function errorEvent(
  headers: StreamMessage['headers'],
  { message }: Readonly<Record<string, unknown>>,
): string {
  const type = headers[':exception-type'] ?? headers[':error-code'] ?? 'error';
  const text = message ?? headers[':error-message'];
  return eventText({ type: 'error', error: { type, message: text, status: STATUS[type] ?? 500 } }, 'error');
}

/** A message in Amazon's binary streams. @internal */
export interface StreamMessage {
  /**
   * The headers of type string. Headers of other types are omitted, because these services do not send
   * them.
   */
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: Buffer;
}

/** Size of the prelude, which consists of two lengths and their checksum. */
const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;
/** Amazon's own limit is 24 MiB. */
const MAX_MESSAGE_BYTES = 25 * 1024 * 1024;
const TEXT = 7;
/** Size of fixed-length header values in bytes, by type. */
const FIXED: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 };

/**
 * Splits a stream into messages and verifies their checksums. The returned function receives the next
 * bytes, and throws if they do not have the format of messages.
 * @see https://docs.aws.amazon.com/transcribe/latest/dg/event-stream.html @internal
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
    /** Whether all bytes so far formed complete messages. */
    isWhole: (): boolean => waitingBytes === 0,
  };
}

/**
 * The length of the message that starts at a position; the length of a prelude if the prelude is not
 * complete yet.
 */
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
