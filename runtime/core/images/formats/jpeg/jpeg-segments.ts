import { greatest } from '#core/numbers/extremes.ts';
import { ByteCursor } from '../byte-cursor.ts';
import { damaged } from '../damaged.ts';
import { type HuffmanTable, huffmanTable } from './jpeg-bits.ts';
import { zigzag } from './jpeg-zigzag.ts';

/** The tables and the image of a JPEG file, as far as it has been read. */
export interface JpegState {
  readonly quantization: Map<number, Uint16Array>;
  readonly dc: Map<number, HuffmanTable>;
  readonly ac: Map<number, HuffmanTable>;
  restartInterval: number;
  isJfif: boolean;
  adobeTransform: number | undefined;
  frame: JpegFrame | undefined;
}

export interface JpegFrame {
  readonly isProgressive: boolean;
  readonly width: number;
  readonly height: number;
  readonly components: readonly FrameComponent[];
  readonly h: number;
  readonly v: number;
  readonly unitsWide: number;
  readonly unitsHigh: number;
}

/** One color of a JPEG image. */
export interface FrameComponent {
  readonly id: number;
  /** Samples per unit, relative to the other components. */
  readonly h: number;
  readonly v: number;
  readonly quantization: number;
  /** Number of blocks that contain pixels of the image. */
  readonly columns: number;
  readonly rows: number;
  /** Number of blocks per row, in complete units. */
  readonly stride: number;
}

/** What the header of a scan states. */
export interface ScanHeader {
  /** For each component of the scan, its index in the frame and its tables. */
  readonly components: readonly {
    readonly index: number;
    readonly dc: HuffmanTable | undefined;
    readonly ac: HuffmanTable | undefined;
  }[];
  /** The first and last coefficient, and the bits that this scan and earlier scans contain. */
  readonly first: number;
  readonly last: number;
  readonly high: number;
  readonly low: number;
  /** The position of the data. */
  readonly at: number;
}

export const startOfJpeg = (): JpegState => ({
  quantization: new Map(),
  dc: new Map(),
  ac: new Map(),
  restartInterval: 0,
  isJfif: false,
  adobeTransform: undefined,
  frame: undefined,
});

/** Whether libjpeg knows the kind of a segment. */
const isKnown = (marker: number): boolean =>
  marker === 0xfe || (marker >= 0xc0 && marker < 0xf0 && ![0xc8, 0xde, 0xdf].includes(marker));

/** Reads segments from `start` into `state`, and returns the header of the next scan; undefined at the end. */
export function nextScan(
  bytes: Uint8Array,
  start: number,
  state: JpegState,
): (ScanHeader & { readonly frame: JpegFrame }) | undefined {
  let at = start;
  for (;;) {
    at = bytes.indexOf(0xff, at);
    if (at === -1 || at + 1 >= bytes.length) return undefined;
    const marker = bytes[at + 1] ?? 0;
    at += marker === 0xff ? 1 : 2;
    if (marker === 0 || marker === 0xff || marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) continue;
    if (marker === 0xd9) return undefined;
    if (!isKnown(marker)) throw damaged('jpeg', 'it has a segment of an unknown kind');
    const cursor = new ByteCursor('jpeg', bytes, at);
    const length = cursor.u16be();
    if (length < 2) throw damaged('jpeg', 'a segment has no length');
    const segment = new ByteCursor('jpeg', cursor.take(length - 2));
    at = cursor.at;
    if (marker === 0xda) return readScanHeader(segment, state, at);
    readSegment(marker, segment, state);
  }
}

function readSegment(marker: number, segment: ByteCursor, state: JpegState): void {
  switch (marker) {
    case 0xc4:
      readHuffmanTables(segment, state);
      return;
    case 0xdb:
      readQuantization(segment, state);
      return;
    case 0xdd:
      state.restartInterval = segment.u16be();
      return;
    case 0xe0:
      if (segment.left >= 14 && segment.name(5) === 'JFIF\0') state.isJfif = true;
      return;
    case 0xee:
      if (segment.left >= 12 && segment.name(5) === 'Adobe') state.adobeTransform = segment.take(7)[6];
      return;
    case 0xc0:
    case 0xc1:
    case 0xc2:
      state.frame = readFrame(segment, marker === 0xc2);
  }
}

/** The largest number of a table. */
const LAST_TABLE = 3;
/** The largest value in a table for first coefficients, which is a number of bits. */
const MAX_BITS = 15;

function readHuffmanTables(segment: ByteCursor, state: JpegState): void {
  while (segment.left > 0) {
    const kind = segment.u8();
    const [isAc, number] = [kind >> 4, kind & 15];
    const counts = segment.take(16);
    const values = segment.take(counts.reduce((sum, count) => sum + count, 0));
    if (isAc > 1 || number > LAST_TABLE || (isAc === 0 && values.some((value) => value > MAX_BITS))) {
      throw damaged('jpeg', 'a table of Huffman codes has numbers that do not exist');
    }
    (isAc === 0 ? state.dc : state.ac).set(number, huffmanTable(counts, values));
  }
}

function readQuantization(segment: ByteCursor, state: JpegState): void {
  while (segment.left > 0) {
    const kind = segment.u8();
    if ((kind & 15) > LAST_TABLE)
      throw damaged('jpeg', 'a quantization table has a number that does not exist');
    const table = new Uint16Array(64);
    for (let index = 0; index < 64; index += 1) {
      table[zigzag(index)] = kind >> 4 === 0 ? segment.u8() : segment.u16be();
    }
    state.quantization.set(kind & 15, table);
  }
}

function readFrame(segment: ByteCursor, isProgressive: boolean): JpegFrame {
  segment.take(1);
  const [height, width] = [segment.u16be(), segment.u16be()];
  const stated = Array.from({ length: segment.u8() }, () => {
    const id = segment.u8();
    const sampling = segment.u8();
    return { id, h: sampling >> 4, v: sampling & 15, quantization: segment.u8() };
  });
  const h = greatest(stated.map((each) => each.h));
  const v = greatest(stated.map((each) => each.v));
  if (
    stated.some(
      (each) => each.h < 1 || each.v < 1 || each.h > 4 || each.v > 4 || h % each.h > 0 || v % each.v > 0,
    )
  ) {
    throw damaged('jpeg', 'its colors have sizes that are not supported');
  }
  const unitsWide = Math.ceil(width / (8 * h));
  const unitsHigh = Math.ceil(height / (8 * v));
  const components = stated.map((each): FrameComponent => ({
    ...each,
    columns: Math.ceil(Math.ceil((width * each.h) / h) / 8),
    rows: Math.ceil(Math.ceil((height * each.v) / v) / 8),
    stride: unitsWide * each.h,
  }));
  return { isProgressive, width, height, components, h, v, unitsWide, unitsHigh };
}

function readScanHeader(
  segment: ByteCursor,
  { frame, dc, ac }: JpegState,
  at: number,
): ScanHeader & { readonly frame: JpegFrame } {
  if (frame === undefined) throw damaged('jpeg', 'its data are before its frame header');
  const components = Array.from({ length: segment.u8() }, () => {
    const id = segment.u8();
    const tables = segment.u8();
    const index = frame.components.findIndex((each) => each.id === id);
    if (index < 0) throw damaged('jpeg', `its data belong to the unknown color ${id}`);
    return { index, dc: dc.get(tables >> 4), ac: ac.get(tables & 15) };
  });
  const [first, last, approximation] = [segment.u8(), segment.u8(), segment.u8()];
  if (last > 63 || first > last || (first > 0 && components.length !== 1)) {
    throw damaged('jpeg', 'its data have coefficients that do not exist');
  }
  return { frame, components, first, last, high: approximation >> 4, low: approximation & 15, at };
}

/** Whether the components are luminance and chrominance, by the same signs and in the same order as in libjpeg. */
export function hasLuminance({ components }: JpegFrame, { isJfif, adobeTransform }: JpegState): boolean {
  if (components.length === 4) return adobeTransform !== undefined && adobeTransform !== 0;
  if (isJfif) return true;
  if (adobeTransform !== undefined) return adobeTransform !== 0;
  return components.map(({ id }) => String.fromCodePoint(id)).join('') !== 'RGB';
}
