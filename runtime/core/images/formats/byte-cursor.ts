import { damaged, type ImageFormat } from './damaged.ts';

/** Reads numbers from a file, and rejects files that end before. */
export class ByteCursor {
  readonly bytes: Uint8Array;
  readonly #format: ImageFormat;
  readonly #view: DataView;
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

  /** The next bytes as text, such as the name of a chunk. */
  name(length: number): string {
    return Array.from(this.take(length), (code) => String.fromCodePoint(code)).join('');
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
