import { AppError } from '#contract/errors.ts';
import type { ImageSize } from '#contract/image-recipe.ts';
import type { HuffmanTable } from '#core/images/formats/jpeg/jpeg-bits.ts';
import {
  type FrameComponent,
  hasLuminance,
  type JpegFrame,
  type JpegState,
  nextScan,
  type ScanHeader,
  startOfJpeg,
} from '#core/images/formats/jpeg/jpeg-segments.ts';
import { RGB, type TransparentImage } from '#core/images/rgb-image.ts';
import { PixelMachine } from './pixel-machine.ts';

/**
 * Decodes a JPEG image of the most frequent kind in about half of the time of the general decoder, to the same pixels:
 * one scan, with colors of full size, half the width (4:2:2) or half the width and height (4:2:0). Returns undefined for
 * images of other kinds and for data that are damaged or unusual in any way, which the general decoder decides about.
 */
export function baselineJpeg(bytes: Uint8Array, size: ImageSize): TransparentImage | undefined {
  const image = readBaseline(bytes);
  if (image === undefined) return undefined;
  const { frame } = image;
  return frame.width === size.width && frame.height === size.height ? decode(bytes, image) : undefined;
}

/** A component with everything that decoding needs. */
interface BaselineComponent extends FrameComponent {
  readonly dc: HuffmanTable;
  readonly ac: HuffmanTable;
  readonly factors: Uint16Array;
}

interface BaselineImage {
  readonly frame: JpegFrame;
  readonly components: readonly BaselineComponent[];
  readonly restartInterval: number;
  /** The position of the data. */
  readonly at: number;
}

function readBaseline(bytes: Uint8Array): BaselineImage | undefined {
  const state = startOfJpeg();
  try {
    const scan = nextScan(bytes, 2, state);
    if (scan === undefined) return undefined;
    const { frame, at } = scan;
    const components = baselineComponents(scan, state);
    if (components === undefined || !isUsual(frame, state)) return undefined;
    return { frame, components, restartInterval: state.restartInterval, at };
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

/** The vector instructions multiply numbers of 16 bits. */
const LARGEST_FACTOR = 255;
const LAST_COEFFICIENT = 63;

function baselineComponents(
  scan: ScanHeader & { readonly frame: JpegFrame },
  { quantization }: JpegState,
): BaselineComponent[] | undefined {
  const { frame, first, last, high, low } = scan;
  if (frame.isProgressive || first !== 0 || last !== LAST_COEFFICIENT || high !== 0 || low !== 0)
    return undefined;
  const components = scan.components.flatMap(({ index, dc, ac }, at): BaselineComponent[] => {
    const component = frame.components[index];
    const factors = component && quantization.get(component.quantization);
    if (index !== at || !component || !dc || !ac || !factors) return [];
    return factors.every((value) => value <= LARGEST_FACTOR) ? [{ ...component, dc, ac, factors }] : [];
  });
  return components.length === frame.components.length ? components : undefined;
}

/** Below this width of a color, libjpeg repeats samples instead of interpolating. */
const SMALLEST_COLOR = 3;

function isUsual(frame: JpegFrame, state: JpegState): boolean {
  const { h, v, components, width } = frame;
  if (components.length === 1) return true;
  if (components.length !== 3 || !hasLuminance(frame, state)) return false;
  const [luminance, ...colors] = components;
  return (
    luminance?.h === h &&
    luminance.v === v &&
    (h === 1 ? v === 1 : h === 2 && v <= 2) &&
    colors.every((color) => color.h === 1 && color.v === 1) &&
    Math.ceil(width / h) >= SMALLEST_COLOR
  );
}

/** Bytes of a table of codes, see jpeg.as. */
const TABLE_BYTES = 4488;
const COMPONENT_NUMBERS = 8;
/** Bytes of pixels that are computed together, so that they stay in the cache of a processor. */
const BYTES_TOGETHER = 65_536;

/** A color with its samples in memory. */
interface Samples {
  readonly at: number;
  readonly stride: number;
  readonly width: number;
  readonly height: number;
}

function decode(bytes: Uint8Array, image: BaselineImage): TransparentImage | undefined {
  const { frame, components, restartInterval } = image;
  const { width, height } = frame;
  const data = bytes.subarray(image.at);
  // The blocks of a single component are stored row by row, without those that fill a unit.
  const isGrey = components.length === 1;
  const unitsWide = isGrey ? (components[0]?.columns ?? 0) : frame.unitsWide;
  const unitsHigh = isGrey ? (components[0]?.rows ?? 0) : frame.unitsHigh;
  const planes = components.map((component) => {
    const [wide, tall] = isGrey ? [1, 1] : [component.h, component.v];
    return { component, wide, tall, stride: unitsWide * wide * 8, rows: unitsHigh * tall * 8 };
  });
  const tables = [...new Set(components.flatMap(({ dc, ac }) => [dc, ac]))];
  const rowBytes = width * RGB;
  const together = Math.min(Math.max(1, Math.floor(BYTES_TOGETHER / rowBytes)), height);
  const colorBytes = (width + SPARE_SAMPLES) * 2;
  const machine = new PixelMachine([
    data.length,
    ...tables.flatMap(() => [TABLE_BYTES, 16, 256]),
    ...planes.flatMap(({ stride, rows }) => [128, stride * rows]),
    components.length * COMPONENT_NUMBERS * 4,
    colorBytes,
    colorBytes,
    colorBytes,
    together * rowBytes,
  ]);
  const { functions } = machine;
  const start = machine.put(data);
  const places = new Map<HuffmanTable, number>();
  for (const table of tables) {
    const place = machine.take(TABLE_BYTES);
    if (functions.buildTable(place, machine.put(table.counts), machine.put(table.values)) === 0)
      return undefined;
    places.set(table, place);
  }
  const samples: Samples[] = [];
  const numbers = planes.flatMap(({ component, wide, tall, stride, rows }) => {
    const factors = machine.put(component.factors);
    const at = machine.take(stride * rows);
    samples.push({
      at,
      stride,
      width: Math.ceil((width * component.h) / frame.h),
      height: Math.ceil((height * component.v) / frame.v),
    });
    return [places.get(component.dc) ?? 0, places.get(component.ac) ?? 0, factors, at, stride, wide, tall, 0];
  });
  const list = machine.put(Int32Array.from(numbers));
  const isDecoded = functions.decodeScan(
    start,
    start + data.length,
    list,
    components.length,
    unitsWide,
    unitsHigh,
    restartInterval,
  );
  if (isDecoded === 0) return undefined;
  const colorRows = [machine.take(colorBytes), machine.take(colorBytes), machine.take(colorBytes)] as const;
  const to = machine.take(together * rowBytes);
  const pixels = new Uint8Array(height * rowBytes);
  for (let row = 0; row < height; row += together) {
    const rows = Math.min(together, height - row);
    for (let at = 0; at < rows; at += 1)
      writeRow(machine, samples, frame, row + at, colorRows, to + at * rowBytes);
    pixels.set(machine.bytes(to, rows * rowBytes), row * rowBytes);
  }
  return { width, height, pixels, alpha: undefined };
}

/** Samples after the end of a row that vectors can contain. */
const SPARE_SAMPLES = 32;

/** Converts a row to RGB. */
function writeRow(
  { functions }: PixelMachine,
  [luminance, blue, red]: readonly Samples[],
  { width, h, v }: JpegFrame,
  row: number,
  [sums, blueRow, redRow]: readonly [number, number, number],
  to: number,
): void {
  if (luminance === undefined) return;
  const from = luminance.at + row * luminance.stride;
  if (blue === undefined || red === undefined) {
    functions.greyRow(from, width, to);
    return;
  }
  for (const [color, target] of [[blue, blueRow] as const, [red, redRow] as const]) {
    const near = Math.floor(row / v);
    const far = Math.max(0, Math.min(row % 2 === 0 ? near - 1 : near + 1, color.height - 1));
    functions.colorRow(
      color.at + near * color.stride,
      color.at + far * color.stride,
      color.width,
      h === 2 ? 1 : 0,
      v === 2 ? 1 : 0,
      sums,
      target,
    );
  }
  functions.rgbRow(from, blueRow, redRow, width, to);
}
