/** WebSocket frames. @see https://www.rfc-editor.org/rfc/rfc6455#section-5 */
export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

export interface Frame {
  /** The whole frame's bytes, as they arrived. */
  readonly bytes: Buffer;
  readonly opcode: number;
  readonly isLast: boolean;
  readonly payload: Buffer;
}

export interface FrameReader {
  /**
   * Adds bytes and returns the frames that are now complete. Throws for a frame larger than the maximum.
   */
  push(chunk: Buffer): Frame[];
}

const MASK_BYTES = 4;

export function createFrameReader(maxBytes: number): FrameReader {
  let chunks: Buffer[] = [];
  let length = 0;
  /**
   * Minimum number of bytes until the next frame can be complete. Without it, a large frame would be joined
   * again for each of its pieces.
   */
  let needed = 2;
  return {
    push(chunk) {
      chunks.push(chunk);
      length += chunk.length;
      if (length < needed) return [];
      let rest = chunks.length === 1 ? chunk : Buffer.concat(chunks, length);
      const frames: Frame[] = [];
      for (;;) {
        const size = sizeOf(rest);
        if (size.total > maxBytes)
          throw new Error(`A frame has ${size.total} bytes; the maximum is ${maxBytes}.`);
        needed = size.total;
        if (rest.length < size.total) break;
        frames.push(frameOf(rest.subarray(0, size.total), size));
        rest = rest.subarray(size.total);
      }
      chunks = rest.length > 0 ? [rest] : [];
      length = rest.length;
      return frames;
    },
  };
}

interface Size {
  readonly head: number;
  /** Size of the whole frame in bytes, as far as it is known yet. */
  readonly total: number;
  readonly isMasked: boolean;
}

function sizeOf(bytes: Buffer): Size {
  const [, second = 0] = bytes;
  const isMasked = (second & 0x80) !== 0;
  const mask = isMasked ? MASK_BYTES : 0;
  const short = second & 0x7f;
  const extra = short === 127 ? 8 : short === 126 ? 2 : 0;
  const head = 2 + extra + mask;
  if (bytes.length < 2 + extra) return { head, total: head, isMasked };
  const payload =
    extra === 8 ? Number(bytes.readBigUInt64BE(2)) : extra === 2 ? bytes.readUInt16BE(2) : short;
  return { head, total: head + payload, isMasked };
}

function frameOf(bytes: Buffer, { head, isMasked }: Size): Frame {
  const [first = 0] = bytes;
  const body = bytes.subarray(head);
  const payload = isMasked ? unmasked(body, bytes.subarray(head - MASK_BYTES, head)) : body;
  return { bytes, opcode: first & 0x0f, isLast: (first & 0x80) !== 0, payload };
}

function unmasked(body: Buffer, mask: Buffer): Buffer {
  const plain = Buffer.from(body);
  for (let at = 0; at < plain.length; at += 1) plain[at] = (plain[at] ?? 0) ^ (mask[at % MASK_BYTES] ?? 0);
  return plain;
}

/** A frame in the format that servers send, i.e. unmasked. */
export function writeFrame(opcode: number, payload: Buffer): Buffer {
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = 0x80 | opcode;
  head[1] = length < 126 ? length : length < 65_536 ? 126 : 127;
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, payload]);
}

/** The frame that closes a connection. */
export function closeFrame(code: number, reason: string): Buffer {
  const payload = Buffer.alloc(2);
  payload.writeUInt16BE(code);
  // Control frames can contain at most 125 bytes.
  return writeFrame(OPCODE.close, Buffer.concat([payload, Buffer.from(reason).subarray(0, 123)]));
}

/** Joins the frames of text messages. Returns each message's text when the message is complete. */
export function createTextJoiner(): (frame: Frame) => string | undefined {
  let parts: Buffer[] = [];
  let isText = false;
  return ({ opcode, isLast, payload }) => {
    if (opcode >= OPCODE.close) return undefined;
    if (opcode !== OPCODE.continuation) {
      isText = opcode === OPCODE.text;
      parts = [];
    }
    if (!isText) return undefined;
    parts.push(payload);
    if (!isLast) return undefined;
    const text = Buffer.concat(parts).toString('utf8');
    parts = [];
    return text;
  };
}
