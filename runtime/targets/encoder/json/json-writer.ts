import {
  createScales,
  type Digits,
  exponentOf,
  findDigits,
  MANY_ZEROS,
  type Scales,
  shortestFloat32,
  UNSURE,
} from '#core/numbers/float32.ts';

/**
 * Encodes a value as JSON in UTF-8: like JSON.stringify, except that a Float32Array becomes a list
 * of numbers in their shortest float32 form (0.1, not 0.10000000149011612). The result does not
 * share its memory.
 */
export function encodeJson(value: unknown): Uint8Array<ArrayBuffer> {
  const target = new JsonBytes(likelySize(value));
  writeJson(target, value);
  return target.written();
}

/** Encodes a single vector in the same way. */
export const encodeFloats = (values: Float32Array): Uint8Array<ArrayBuffer> => encodeJson(values);

/**
 * Enlarging the buffer copies it, and new memory is slow. To avoid this, the floats are counted
 * first, because a large response consists mostly of floats.
 */
export const likelySize = (value: unknown): number =>
  SMALL_SIZE + FLOATS_SLACK + Math.min(estimateFloats(value) * LIKELY_BYTES_PER_FLOAT, MAX_ESTIMATED_FLOATS);

/** Estimates the number of floats by assuming that all items in a list are like the first item. */
export function estimateFloats(value: unknown): number {
  if (value instanceof Float32Array) return value.length;
  if (Array.isArray(value)) return value.length === 0 ? 0 : value.length * estimateFloats(value[0]);
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  for (const part of Object.values(value)) count += estimateFloats(part);
  return count;
}

/** Writes a value as `encodeJson` encodes it. */
export function writeJson(target: JsonBytes, value: unknown): void {
  if (typeof value === 'string') writeString(target, value);
  else if (value instanceof Float32Array) writeVector(target, value);
  else if (Array.isArray(value)) writeList(target, value);
  else if (typeof value === 'object' && value !== null) writeObject(target, value);
  else if (typeof value === 'number') target.ascii(Number.isFinite(value) ? String(value) : 'null');
  else target.ascii(JSON.stringify(value) ?? 'null');
}

function writeVector(target: JsonBytes, values: Float32Array): void {
  const start = target.at;
  target.reserve(2);
  writeFloats(target, values);
  // The bracket overwrites the comma before the first number.
  target.bytes[start] = OPEN_LIST;
  if (values.length === 0) target.at += 1;
  target.byte(CLOSE_LIST);
}

function writeList(target: JsonBytes, items: readonly unknown[]): void {
  target.byte(OPEN_LIST);
  let first = true;
  for (const item of items) {
    if (!first) target.byte(COMMA);
    first = false;
    writeJson(target, item);
  }
  target.byte(CLOSE_LIST);
}

function writeObject(target: JsonBytes, members: object): void {
  target.byte(OPEN_OBJECT);
  let first = true;
  for (const name of Object.keys(members)) {
    const value = (members as Members)[name];
    if (value === undefined) continue;
    if (!first) target.byte(COMMA);
    first = false;
    writeString(target, name);
    target.byte(COLON);
    writeJson(target, value);
  }
  target.byte(CLOSE_OBJECT);
}

function writeString(target: JsonBytes, text: string): void {
  if (text.length <= SHORT && target.quoted(text)) return;
  target.text(JSON.stringify(text));
}

type Members = Readonly<Record<string, unknown>>;

const SMALL_SIZE = 1024;
const LIKELY_BYTES_PER_FLOAT = 13;
/** Maximum of the estimated number of floats, because the first item can differ from the others. */
const MAX_ESTIMATED_FLOATS = 4 * 2 ** 20;
const SHORT = 64;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Writes a comma and a number for each value, formatted as JSON.stringify formats its `shortestFloat32`. */
function writeFloats(target: JsonBytes, floats: Float32Array): void {
  const words = new Uint32Array(floats.buffer, floats.byteOffset, floats.length);
  tables ??= makeTables();
  for (let from = 0; from < floats.length; from += CHUNK) {
    const to = Math.min(from + CHUNK, floats.length);
    findDigits(words, from, to, tables.scales, tables.found);
    target.reserve((to - from) * MAX_BYTES);
    for (let at = from; at < to;) {
      at = writeSmall(target, words, at, to, from, tables);
      if (at === to) break;
      if (countZeros(tables.found, at - from)) continue;
      const next = writeLarge(target, words, at, to, from, tables);
      if (next === at) writeOther(target, floats[at] ?? 0, words[at] ?? 0, at - from, tables);
      at = Math.max(next, at + 1);
    }
  }
}

/** Counts the trailing zeros if there are at least three, and returns whether there are. */
function countZeros({ digits, zeros }: Digits, index: number): boolean {
  if (zeros[index] !== MANY_ZEROS) return false;
  let rest = (digits[index] ?? 0) / 1000;
  let count = 3;
  for (; rest % 10 === 0; rest /= 10) count += 1;
  zeros[index] = count;
  return true;
}

const CHUNK = 128;
/**
 * The longest number is -1.17549435e-38 with its comma. Additional bytes are required because
 * digits are written in groups of four, which can extend beyond the end of a number.
 */
const MAX_BYTES = 32;
/** Number of bytes to reserve in addition to the text, because space is reserved one chunk at a time. */
const FLOATS_SLACK = CHUNK * MAX_BYTES;

interface Tables {
  readonly scales: Scales;
  /** 00 to 99 in ASCII, with the first digit in the lower byte. */
  readonly pairs: Uint16Array;
  /** Digits of the current chunk. */
  readonly found: Digits;
}

/** Created on first use, because most programs that load this module never write a float. */
let tables: Tables | undefined;

function makeTables(): Tables {
  const pairs = Uint16Array.from({ length: 100 }, (_, pair) => {
    const first = Math.floor(pair / 10);
    return ZERO + first + ((ZERO + pair - first * 10) << 8);
  });
  return {
    scales: createScales(),
    pairs,
    found: { digits: new Int32Array(CHUNK), zeros: new Uint8Array(CHUNK) },
  };
}

/**
 * Writes values from 0.00001 to 9.999999 (nearly all values are in this range), stops at the first
 * value outside this range, and returns the index of that value. It only calls functions that the
 * compiler inlines, so that all variables stay in registers.
 */
function writeSmall(
  target: JsonBytes,
  words: Uint32Array,
  from: number,
  to: number,
  chunk: number,
  { scales, pairs, found }: Tables,
): number {
  const { view } = target;
  const { places } = scales;
  const { digits: allDigits, zeros: allZeros } = found;
  let end = target.at;
  let at = from;
  for (; at < to; at++) {
    const word = words[at] ?? 0;
    const digits = allDigits[at - chunk] ?? 0;
    const zeros = allZeros[at - chunk] ?? 0;
    const ninth = isNinthThere(digits);
    const point = (8 + ninth - (places[(word >>> 23) & 0xff] ?? 0)) | 0;
    if (zeros > MAX_ZEROS_SMALL || point > 1 || point < MIN_POINT) break;
    view.setUint32(end, COMMA_MINUS_ZEROS, true);
    view.setUint32(end + 4, FOUR_ZEROS, true);
    // The minus sign is overwritten unless the sign bit is set.
    const start = (end + 1 + (word >>> 31)) | 0;
    end = (start + 2 - point) | 0;
    writeDigits(view, end, digits, ninth, pairs);
    // The second character is now the digit before the point: a zero, or the first digit.
    view.setUint8(start, view.getUint8(start + 1));
    view.setUint8(start + 1, POINT);
    end = (end + 8 + ninth - zeros) | 0;
  }
  target.at = end;
  return at;
}

/** Writes values from 10 to 99,999.99 in the same way. */
function writeLarge(
  target: JsonBytes,
  words: Uint32Array,
  from: number,
  to: number,
  chunk: number,
  { scales, pairs, found }: Tables,
): number {
  const { view } = target;
  const { places } = scales;
  const { digits: allDigits, zeros: allZeros } = found;
  let end = target.at;
  let at = from;
  for (; at < to; at++) {
    const word = words[at] ?? 0;
    const digits = allDigits[at - chunk] ?? 0;
    const zeros = allZeros[at - chunk] ?? 0;
    const ninth = isNinthThere(digits);
    const point = (8 + ninth - (places[(word >>> 23) & 0xff] ?? 0)) | 0;
    if (zeros > MAX_ZEROS_LARGE || point <= 1 || point > MAX_POINT) break;
    view.setUint16(end, COMMA_MINUS, true);
    const start = (end + 1 + (word >>> 31)) | 0;
    writeDigits(view, start, digits, ninth, pairs);
    // The digits after the decimal point are moved to make space for the point.
    const fraction = (start + point) | 0;
    const fourOfIt = view.getUint32(fraction, true);
    const rest = view.getUint32(fraction + 4, true);
    view.setUint8(fraction, POINT);
    view.setUint32(fraction + 1, fourOfIt, true);
    view.setUint32(fraction + 5, rest, true);
    end = (start + 9 + ninth - zeros) | 0;
  }
  target.at = end;
  return at;
}

/** 1 if there are nine digits, otherwise 0. If there are nine digits, the first digit is always 1. */
const isNinthThere = (digits: number): number => (99_999_999 - digits) >>> 31;

function writeDigits(view: DataView, at: number, digits: number, ninth: number, pairs: Uint16Array): void {
  view.setUint8(at, ZERO + 1);
  const eight = (digits - Math.imul(ninth, 100_000_000)) | 0;
  const high = (eight / 10_000) | 0;
  const end = (at + ninth) | 0;
  view.setUint32(end, fourDigits(high, pairs), true);
  view.setUint32(end + 4, fourDigits((eight - Math.imul(high, 10_000)) | 0, pairs), true);
}

/** Four digits in ASCII, the first in the lowest byte. */
function fourDigits(number: number, pairs: Uint16Array): number {
  // The result is exact below 43,698, and the calculation is faster than a division.
  const high = Math.imul(number, 5243) >>> 19;
  return (pairs[high] ?? 0) | ((pairs[(number - Math.imul(high, 100)) | 0] ?? 0) << 16);
}

/** Writes a single value of any kind. */
function writeOther(target: JsonBytes, value: number, word: number, index: number, tables: Tables): void {
  const { scales, found } = tables;
  const exponent = exponentOf(word);
  const places = scales.places[exponent] ?? 0;
  const sure = (found.zeros[index] ?? 0) < UNSURE && places >= 0 && places <= EXACT_PLACES;
  const magnitude = sure
    ? (found.digits[index] ?? 0) / (scales.power[exponent] ?? 0)
    : shortestFloat32(Math.abs(value));
  target.byte(COMMA);
  target.ascii(Number.isFinite(value) ? String(value < 0 ? -magnitude : magnitude) : 'null');
}

const MAX_ZEROS_SMALL = 6;
const MAX_ZEROS_LARGE = 2;
/**
 * Minimum number of digits before the decimal point. A negative number is the number of zeros after
 * the point.
 */
const MIN_POINT = -4;
const MAX_POINT = 5;
/**
 * Powers of ten up to this exponent are exact doubles, so that dividing by them gives the double
 * that is nearest to the decimal number.
 */
const EXACT_PLACES = 22;
const POINT = 0x2e;
const ZERO = 0x30;
const COMMA_MINUS = 0x2d2c;
const COMMA_MINUS_ZEROS = 0x30302d2c;
const FOUR_ZEROS = 0x30303030;

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

  /**
   * Writes a JSON string if it is printable ASCII without escapes; otherwise writes nothing and
   * returns false.
   */
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

  /** Writes the bytes of a list of numbers as a JSON string in base64. */
  base64({ buffer, byteOffset, byteLength }: ArrayBufferView): void {
    const text = Buffer.from(buffer, byteOffset, byteLength).toString('base64');
    this.reserve(text.length + 2);
    this.byte(QUOTE);
    this.at += Buffer.from(this.bytes.buffer).write(text, this.at, 'latin1');
    this.byte(QUOTE);
  }

  append(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.at);
    this.at += bytes.length;
  }

  text(text: string): void {
    this.reserve(text.length * MAX_BYTES_PER_UNIT);
    this.at += new TextEncoder().encodeInto(text, this.bytes.subarray(this.at)).written;
  }

  /** Returns the written bytes. Their underlying buffer is not shared, but can be longer. */
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
