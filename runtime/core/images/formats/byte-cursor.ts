import { damaged, type ImageFormat, unsupported } from './damaged.ts';

/**
 * Maximum number of parts of a file, such as chunks, before its pixels. Real files have at most some thousands. Millions of
 * empty parts fit into a file, and would take seconds to read.
 */
const MAX_PARTS = 100_000;

/** Reads numbers from a file, and rejects files that end before. */
export class ByteCursor {
  readonly bytes: Uint8Array;
  readonly #format: ImageFormat;
  readonly #view: DataView;
  #parts = 0;
  at = 0;

  constructor(format: ImageFormat, bytes: Uint8Array, at = 0) {
    this.bytes = bytes;
    this.#format = format;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = at;
  }

  get left(): number {
    return this.bytes.length - this.at;
  }

  u8(): number {
    return this.#view.getUint8(this.#take(1));
  }

  u16be(): number {
    return this.#view.getUint16(this.#take(2));
  }

  u16le(): number {
    return this.#view.getUint16(this.#take(2), true);
  }

  u24le(): number {
    const at = this.#take(3);
    return this.#view.getUint16(at, true) + this.#view.getUint8(at + 2) * 0x1_00_00;
  }

  u32be(): number {
    return this.#view.getUint32(this.#take(4));
  }

  u32le(): number {
    return this.#view.getUint32(this.#take(4), true);
  }

  /** The next bytes, which are not copied. */
  take(length: number): Uint8Array {
    const start = this.#take(length);
    return this.bytes.subarray(start, start + length);
  }

  /** Moves behind the next bytes. */
  skip(length: number): void {
    this.#take(length);
  }

  /** Counts a part of the file, and rejects files with too many of them. */
  countPart(): void {
    this.#parts += 1;
    if (this.#parts > MAX_PARTS) throw unsupported(this.#format, `it has more than ${MAX_PARTS} parts`);
  }

  /** The next bytes as text, such as the name of a chunk. */
  name(length: number): string {
    let text = '';
    for (const code of this.take(length)) text += String.fromCodePoint(code);
    return text;
  }

  #take(length: number): number {
    const start = this.at;
    if (length > this.left) {
      throw damaged(
        this.#format,
        `the file ends at byte ${this.bytes.length}, before its header is complete`,
      );
    }
    this.at += length;
    return start;
  }
}
