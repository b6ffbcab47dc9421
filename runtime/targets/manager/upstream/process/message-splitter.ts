import { type Line, type LineSplitter, type OpenLine, splitLines } from '#serve/mcp/line-splitter.ts';
import { createMessageMeter } from '../result-limit.ts';
import { type Envelope, readEnvelope } from './read-envelope.ts';

/** A line, or what is known of one that was not kept because it has more than `maxCharacters`. */
export type MessageLine = Line | { readonly skipped: Envelope; readonly bytes: number };

export interface MessageLimits {
  /** A longer line is reported as soon as it exceeds this limit, and cannot be continued. */
  readonly maxBytes: number;
  /** Of a line with more characters, only the start and the end are kept, which contain the ID of the request. */
  readonly maxCharacters?: number | undefined;
}

/** Bytes that are kept of the start and of the end. */
const KEPT = 1024;

/** Splits the output of a server into lines with one message each. */
export const createMessageSplitter = (limits: MessageLimits): LineSplitter<MessageLine> =>
  splitLines(openMessage(limits), limits.maxBytes);

function openMessage({ maxBytes, maxCharacters }: MessageLimits): OpenLine<MessageLine> {
  const meter = createMessageMeter(maxCharacters);
  let parts: Buffer[] = [];
  let bytes = 0;
  let ends: { readonly head: Buffer; tail: Buffer } | undefined;

  return {
    isOpen: () => bytes > 0,
    add(part) {
      const before = bytes;
      bytes += part.length;
      if (bytes > maxBytes) {
        [parts, ends] = [[], undefined];
        return before > maxBytes ? [] : [{ tooLong: true }];
      }
      if (ends) {
        ends.tail = lastBytes([ends.tail, part]);
        return [];
      }
      parts.push(part);
      if (meter.add(part)) {
        const head = Buffer.concat(parts, Math.min(bytes, KEPT));
        ends = { head, tail: lastBytes(parts.slice(-2)) };
        parts = [];
      }
      return [];
    },
    finish() {
      const line = ends
        ? { skipped: readEnvelope(ends.head.toString('utf8'), ends.tail.toString('utf8')), bytes }
        : { text: Buffer.concat(parts).toString('utf8') };
      const finished = bytes > maxBytes ? [] : [line];
      [parts, bytes, ends] = [[], 0, undefined];
      meter.reset();
      return finished;
    },
  };
}

/** A copy of the last bytes, so that the rest of the parts can be freed. */
const lastBytes = (parts: readonly Buffer[]): Buffer =>
  Buffer.from(Buffer.concat(parts.map((part) => part.subarray(-KEPT))).subarray(-KEPT));
