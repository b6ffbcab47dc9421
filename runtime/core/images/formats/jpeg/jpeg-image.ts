import { greatest } from '#core/numbers/extremes.ts';
import { ByteCursor } from '../byte-cursor.ts';
import { damaged } from '../damaged.ts';
import type { TransparentImage } from '../../rgb-image.ts';
import { toRgb } from './jpeg-colors.ts';
import { type HuffmanTable, huffmanTable, JpegBits } from './jpeg-bits.ts';
import { inverseTransform } from './jpeg-idct.ts';
import { type JpegComponent, readScan, type ScanComponent, zigzag } from './jpeg-scan.ts';
import { type Plane, upsample } from './jpeg-upsample.ts';

/** The tables and the image of a JPEG file, as far as it has been read. */
interface JpegState {
  readonly quantization: Map<number, Uint16Array>;
  readonly dc: Map<number, HuffmanTable>;
  readonly ac: Map<number, HuffmanTable>;
  restartInterval: number;
  isJfif: boolean;
  adobeTransform: number | undefined;
  frame: Frame | undefined;
}

interface Frame {
  readonly isProgressive: boolean;
  readonly width: number;
  readonly height: number;
  readonly components: readonly JpegComponent[];
  readonly h: number;
  readonly v: number;
  readonly unitsWide: number;
  readonly unitsHigh: number;
}

/**
 * Decodes a JPEG image, with the same arithmetic as libjpeg-turbo. It is slower than the decoder in WebAssembly,
 * and reads what that one does not read as Pillow does: printing colors, and colors with half the height (4:4:0).
 */
export function jpegImage(bytes: Uint8Array): TransparentImage {
  const state: JpegState = {
    quantization: new Map(),
    dc: new Map(),
    ac: new Map(),
    restartInterval: 0,
    isJfif: false,
    adobeTransform: undefined,
    frame: undefined,
  };
  let at = 2;
  for (;;) {
    at = bytes.indexOf(0xff, at);
    if (at === -1 || at + 1 >= bytes.length) break;
    const marker = bytes[at + 1] ?? 0;
    at += marker === 0xff ? 1 : 2;
    if (marker === 0 || marker === 0xff || marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) continue;
    if (marker === 0xd9) break;
    const cursor = new ByteCursor('jpeg', bytes, at);
    const length = cursor.u16be();
    if (length < 2) throw damaged('jpeg', 'a segment has no length');
    const segment = new ByteCursor('jpeg', cursor.take(length - 2));
    at = cursor.at;
    if (marker === 0xda) at = readScanSegment(segment, state, bytes, at);
    else readSegment(marker, segment, state);
  }
  if (state.frame === undefined) throw damaged('jpeg', 'it contains no image');
  return frameImage(state.frame, state);
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

function readHuffmanTables(segment: ByteCursor, state: JpegState): void {
  while (segment.left > 0) {
    const kind = segment.u8();
    const counts = segment.take(16);
    const values = segment.take(counts.reduce((sum, count) => sum + count, 0));
    (kind >> 4 === 0 ? state.dc : state.ac).set(kind & 15, huffmanTable(counts, values));
  }
}

function readQuantization(segment: ByteCursor, state: JpegState): void {
  while (segment.left > 0) {
    const kind = segment.u8();
    const table = new Uint16Array(64);
    for (let index = 0; index < 64; index += 1) {
      table[zigzag(index)] = kind >> 4 === 0 ? segment.u8() : segment.u16be();
    }
    state.quantization.set(kind & 15, table);
  }
}

function readFrame(segment: ByteCursor, isProgressive: boolean): Frame {
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
  const components = stated.map((each): JpegComponent => {
    const stride = unitsWide * each.h;
    return {
      ...each,
      columns: Math.ceil(Math.ceil((width * each.h) / h) / 8),
      rows: Math.ceil(Math.ceil((height * each.v) / v) / 8),
      stride,
      coefficients: new Int16Array(stride * unitsHigh * each.v * 64),
    };
  });
  return { isProgressive, width, height, components, h, v, unitsWide, unitsHigh };
}

/** Reads a scan, and returns the position after its data. */
function readScanSegment(segment: ByteCursor, state: JpegState, bytes: Uint8Array, at: number): number {
  const { frame } = state;
  if (frame === undefined) throw damaged('jpeg', 'its data are before its frame header');
  const components = Array.from({ length: segment.u8() }, (): ScanComponent => {
    const id = segment.u8();
    const tables = segment.u8();
    const component = frame.components.find((each) => each.id === id);
    if (component === undefined) throw damaged('jpeg', `its data belong to the unknown color ${id}`);
    return { component, dc: state.dc.get(tables >> 4), ac: state.ac.get(tables & 15), previous: 0 };
  });
  const [first, last, approximation] = [segment.u8(), segment.u8(), segment.u8()];
  if (last > 63 || first > last || (first > 0 && components.length !== 1)) {
    throw damaged('jpeg', 'its data have coefficients that do not exist');
  }
  const bits = new JpegBits(bytes, at);
  const { isProgressive, unitsWide, unitsHigh } = frame;
  const { restartInterval } = state;
  const [high, low] = [approximation >> 4, approximation & 15];
  readScan(
    { components, isProgressive, first, last, high, low, restartInterval, unitsWide, unitsHigh },
    bits,
  );
  return bits.at;
}

function frameImage(frame: Frame, state: JpegState): TransparentImage {
  const planes = frame.components.map((component) => {
    const table = state.quantization.get(component.quantization);
    if (table === undefined) throw damaged('jpeg', 'a quantization table is missing');
    return upsample(componentPlane(component, table, frame), frame.h / component.h, frame.v / component.v);
  });
  const { width, height } = frame;
  return { width, height, pixels: toRgb(planes, frame, hasLuminance(frame, state)), alpha: undefined };
}

/** Whether the components are luminance and chrominance, by the same signs and in the same order as in libjpeg. */
function hasLuminance({ components }: Frame, { isJfif, adobeTransform }: JpegState): boolean {
  if (components.length === 4) return adobeTransform !== undefined && adobeTransform !== 0;
  if (isJfif) return true;
  if (adobeTransform !== undefined) return adobeTransform !== 0;
  return components.map(({ id }) => String.fromCodePoint(id)).join('') !== 'RGB';
}

function componentPlane(component: JpegComponent, table: Uint16Array, frame: Frame): Plane {
  const { columns, rows, stride: blocks, coefficients } = component;
  const stride = columns * 8;
  const samples = new Uint8Array(stride * rows * 8);
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const start = row * 8 * stride + column * 8;
      inverseTransform(coefficients, (row * blocks + column) * 64, table, samples, start, stride);
    }
  }
  return {
    samples,
    width: Math.ceil((frame.width * component.h) / frame.h),
    height: Math.ceil((frame.height * component.v) / frame.v),
    stride,
  };
}
