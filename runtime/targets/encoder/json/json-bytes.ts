import { shortestFloat32 } from '#core/numbers/float32.ts';

/** Writes a comma and a number for each value, formatted as JSON.stringify formats its `shortestFloat32`. */
export function writeFloats(target: JsonBytes, floats: Float32Array): void {
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

/** Counts trailing zeros if there were three or more; returns whether there were. */
function countZeros({ digits, zeros }: Digits, index: number): boolean {
  if (zeros[index] !== MANY_ZEROS) return false;
  let rest = (digits[index] ?? 0) / 1000;
  let count = 3;
  for (; rest % 10 === 0; rest /= 10) count += 1;
  zeros[index] = count;
  return true;
}

const CHUNK = 128;
/** The longest number is -1.17549435e-38 with its comma; but digits are written in groups of four, some beyond the end. */
const MAX_BYTES = 32;
/** Bytes to reserve beyond the written text, because space is reserved per chunk. */
export const FLOATS_SLACK = CHUNK * MAX_BYTES;

interface Tables {
  readonly scales: Scales;
  /** 00 to 99 in ASCII, with the first digit in the lower byte. */
  readonly pairs: Uint16Array;
  /** Digits of the current chunk. */
  readonly found: Digits;
}

/** Created on first use, because most programs that load this module never print a float. */
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
 * Writes values from 0.00001 to 9.999999 (nearly all values) up to the first other value, and returns its index. Calls only
 * functions that the compiler inlines, so that everything stays in registers.
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

/** Same for values from 10 to 99,999.99. */
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
    // The digits after the point move to make room for it.
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

/** 1 if there are nine digits, otherwise 0. The first of nine digits is always 1. */
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
  // Exact below 43,698, and faster than a division.
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
/** Minimum number of digits before the point; negative numbers mean zeros after it. */
const MIN_POINT = -4;
const MAX_POINT = 5;
/** Powers of ten up to this one are exact doubles, so that dividing by them gives the double nearest to the decimal. */
const EXACT_PLACES = 22;
const COMMA = 0x2c;
const POINT = 0x2e;
const ZERO = 0x30;
const COMMA_MINUS = 0x2d2c;
const COMMA_MINUS_ZEROS = 0x30302d2c;
const FOUR_ZEROS = 0x30303030;

/**
 * Finds the shortest digits that parse back to each float32, and of several the closest, with double arithmetic.
 *
 * A value times a power of ten, chosen so that eight or nine digits precede the point, has its two boundaries (half a float32
 * step away) more than 0.59 away. The nearest whole number is therefore always inside; if a multiple of ten or a hundred is
 * inside too, that is shorter. Rounding errors stay below 1e-7, and anything closer than 1e-6 to a boundary is left undecided.
 *
 * There are no data-dependent branches, because a branch misprediction costs more than all the rest.
 */
function findDigits(
  words: Uint32Array,
  from: number,
  to: number,
  { step }: Scales,
  { digits, zeros }: Digits,
): void {
  for (let at = from; at < to; at++) {
    const word = words[at] ?? 0;
    const scale = step[exponentOf(word)] ?? 0;
    const scaled = ((word & MANTISSA) | HIDDEN_BIT) * scale;
    const room = scale * 0.5;
    const ones = scaled + TO_WHOLE - TO_WHOLE;
    const tens = (scaled * 0.1 + TO_WHOLE - TO_WHOLE) * 10;
    const hundreds = (scaled * 0.01 + TO_WHOLE - TO_WHOLE) * 100;
    // Distance to the boundary in millionths; its sign bit becomes 1 for inside and 0 for outside.
    const tensInside = ((room - Math.abs(scaled - tens)) * MILLION) | 0;
    const useTens = ~tensInside >>> 31;
    let found = (ones + (tens - ones) * useTens) | 0;
    let foundZeros = useTens;
    const hundredsInside = room - Math.abs(scaled - hundreds);
    if (hundredsInside > -MARGIN) {
      found = hundreds | 0;
      foundZeros = hundredsInside < MARGIN ? UNSURE : found % 1000 === 0 ? MANY_ZEROS : 2;
    }
    // Two multiples of ten that are almost equally close need no check: an exhaustive test over all float32 found no error.
    if (tensInside === 0 || Math.abs(Math.abs(scaled - ones) - 0.5) < MARGIN || (word & MANTISSA) === 0) {
      foundZeros = UNSURE;
    }
    digits[at - from] = found;
    zeros[at - from] = foundZeros;
  }
}

interface Digits {
  /** Eight or nine digits. */
  readonly digits: Int32Array;
  /** Number of trailing zeros: 0, 1, 2 or `MANY_ZEROS`; or `UNSURE`. Both are greater than any count. */
  readonly zeros: Uint8Array;
}

/** Three or more trailing zeros. */
const MANY_ZEROS = 10;
/** Undecided: too close to a boundary, a power of two (its lower boundary is closer), zero, subnormal, or not finite. */
const UNSURE = 20;

/** Adding and subtracting this number rounds a double, because no bits are left for a fraction. */
const TO_WHOLE = 1.5 * 2 ** 52;
const MILLION = 2 ** 20;
const MARGIN = 1 / MILLION;
const MANTISSA = 2 ** 23 - 1;
const HIDDEN_BIT = 2 ** 23;
const NOT_FINITE = 255;

/** The exponent bits of a float32. */
const exponentOf = (word: number): number => (word >>> 23) & 0xff;

/** For each exponent, the power of ten that gives eight or nine digits before the point. */
interface Scales {
  readonly power: Float64Array;
  /** The same as an exponent: number of digits after the point. */
  readonly places: Int8Array;
  /** Step between adjacent float32 values, times the power; zero for subnormal and non-finite values. */
  readonly step: Float64Array;
}

function createScales(): Scales {
  const power = new Float64Array(256);
  const places = new Int8Array(256);
  const step = new Float64Array(256);
  let place = 45;
  let scale = 10 ** place;
  // Iterates over the exponents with their least values.
  for (let exponent = 1, least = 2 ** -126; exponent < NOT_FINITE; exponent++, least *= 2) {
    if (least * scale >= 1e8) {
      place -= 1;
      scale = 10 ** place;
    }
    power[exponent] = scale;
    places[exponent] = place;
    step[exponent] = (least / HIDDEN_BIT) * scale;
  }
  return { power, places, step };
}

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
