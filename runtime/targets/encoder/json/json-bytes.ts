/** A growing buffer for UTF-8 text. */
export class JsonBytes {
  bytes: Uint8Array<ArrayBuffer>;
  view: DataView;
  /** Position of the next byte. */
  at = 0;

  constructor(size: number) {
    this.bytes = new Uint8Array(size);
    this.view = new DataView(this.bytes.buffer);
  }

  /** Reserves space for more bytes. */
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

  /** Writes ASCII text. */
  ascii(text: string): void {
    this.reserve(text.length);
    const { bytes, at } = this;
    for (let index = 0; index < text.length; index++) bytes[at + index] = text.charCodeAt(index);
    this.at = at + text.length;
  }

  /** Writes a JSON string if it is printable ASCII that needs no escapes; otherwise writes nothing and returns false. */
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
    this.reserve(text.length * MAX_BYTES_PER_UNIT);
    this.at += new TextEncoder().encodeInto(text, this.bytes.subarray(this.at)).written;
  }

  /** Returns the written bytes. The underlying memory is not shared, and can be longer. */
  written(): Uint8Array<ArrayBuffer> {
    return this.bytes.subarray(0, this.at);
  }
}

/** Maximum UTF-8 bytes per UTF-16 code unit; a surrogate pair takes four bytes. */
const MAX_BYTES_PER_UNIT = 3;
const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const TILDE = 0x7e;
