/** The result of a request; times are from `performance.now`. */
export interface RawAnswer {
  readonly head: string;
  readonly body: Buffer;
  /** Time of the first body byte. */
  readonly first: number;
  readonly whole: number;
}

export interface AnswerState {
  readonly failed?: string;
  readonly first?: number | undefined;
  readonly whole?: RawAnswer | undefined;
}

const END_OF_HEAD = '\r\n\r\n';
const LAST_CHUNK = Buffer.from('0\r\n\r\n');

/** A response, as its bytes arrive. */
export function readRawAnswer(): { readonly take: (chunk: Buffer) => AnswerState } {
  let head = '';
  /** Remaining bytes of the body; undefined for chunked bodies. */
  let left: number | undefined;
  let inBody = false;
  let first: number | undefined;
  const pieces: Buffer[] = [];

  return {
    take(chunk) {
      let body = chunk;
      if (!inBody) {
        head += chunk.toString('latin1');
        const end = head.indexOf(END_OF_HEAD);
        if (end === -1) return {};
        if (!head.startsWith('HTTP/1.1 2')) return { failed: head.slice(0, 1000) };
        body = chunk.subarray(chunk.length - (head.length - end - END_OF_HEAD.length));
        head = head.slice(0, end + 2);
        const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
        left = length === undefined ? undefined : Number(length);
        inBody = true;
      }
      if (body.length === 0 && left !== 0) return {};
      const now = performance.now();
      first ??= now;
      pieces.push(body);
      if (left !== undefined) left -= body.length;
      const isWhole = left === undefined ? body.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK) : left <= 0;
      if (!isWhole) return { first };
      const all = Buffer.concat(pieces);
      return {
        first,
        whole: { head, body: left === undefined ? withoutChunks(all) : all, first, whole: now },
      };
    },
  };
}

/** The data in the chunks. */
function withoutChunks(bytes: Buffer): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; ;) {
    const line = bytes.indexOf('\r\n', at);
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16);
    if (!(size > 0)) return Buffer.concat(pieces);
    pieces.push(bytes.subarray(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
  }
}
