/** UTF-8 text, written from front to back into memory that grows. */
export class JsonBytes {
  bytes: Uint8Array<ArrayBuffer>;
  view: DataView;
  /** Where the next byte goes. */
  at = 0;

  constructor(size: number) {
    this.bytes = new Uint8Array(size);
    this.view = new DataView(this.bytes.buffer);
  }

  /** Makes room for so many more bytes. */
  reserve(count: number): void {
    const needed = this.at + count;
    if (needed <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(this.bytes.length * 2, needed));
    larger.set(this.bytes.subarray(0, this.at));
    this.bytes = larger;
    this.view = new DataView(larger.buffer);
  }

  byte(value: number): void {
    this.reserve(1);
    this.bytes[this.at] = value;
    this.at += 1;
  }

  /** Text of ASCII characters only. */
  ascii(text: string): void {
    this.reserve(text.length);
    const { bytes, at } = this;
    for (let index = 0; index < text.length; index++) bytes[at + index] = text.charCodeAt(index);
    this.at = at + text.length;
  }

  /** A JSON string, if it is printable ASCII and nothing must be escaped; else writes nothing and says so. */
  quoted(text: string): boolean {
    this.reserve(text.length + 2);
    const { bytes, at } = this;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code < SPACE || code > TILDE || code === QUOTE || code === BACKSLASH) return false;
      bytes[at + 1 + index] = code;
    }
    bytes[at] = QUOTE;
    bytes[at + 1 + text.length] = QUOTE;
    this.at = at + text.length + 2;
    return true;
  }

  text(text: string): void {
    this.reserve(text.length * MOST_BYTES_PER_UNIT);
    this.at += new TextEncoder().encodeInto(text, this.bytes.subarray(this.at)).written;
  }

  /** What was written. The memory behind it is its own, and may be longer. */
  written(): Uint8Array<ArrayBuffer> {
    return this.bytes.subarray(0, this.at);
  }
}

/** Of a UTF-16 code unit in UTF-8; a pair of them takes four bytes. */
const MOST_BYTES_PER_UNIT = 3;
const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const TILDE = 0x7e;
