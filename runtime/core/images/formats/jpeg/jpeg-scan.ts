import { damaged } from '../damaged.ts';
import type { HuffmanTable, JpegBits } from './jpeg-bits.ts';
import type { FrameComponent } from './jpeg-segments.ts';
import { zigzag } from './jpeg-zigzag.ts';

/** One color of a JPEG image, with its coefficients. */
export interface JpegComponent extends FrameComponent {
  /** 64 numbers for each block, in the order of rows and columns. */
  readonly coefficients: Int16Array;
}

/** A component in a scan, with the tables for its codes. */
export interface ScanComponent {
  readonly component: JpegComponent;
  readonly dc: HuffmanTable | undefined;
  readonly ac: HuffmanTable | undefined;
  /** The previous first coefficient, to which the next one is relative. */
  previous: number;
}

export interface Scan {
  readonly components: readonly ScanComponent[];
  readonly isProgressive: boolean;
  /** The first and last coefficient, and the bits that this scan and earlier scans contain. */
  readonly first: number;
  readonly last: number;
  readonly high: number;
  readonly low: number;
  /** Number of units between restarts; 0 if there are none. */
  readonly restartInterval: number;
  readonly unitsWide: number;
  readonly unitsHigh: number;
}

type DecodeBlock = (component: ScanComponent, at: number) => void;

/** Reads the compressed data of a scan into the coefficients of its components. */
export function readScan(scan: Scan, bits: JpegBits): void {
  const { components, restartInterval } = scan;
  const state = { runs: 0 };
  const decode = blockDecoder(scan, bits, state);
  let units = 0;
  const restartIfDue = (): void => {
    if (restartInterval > 0 && units > 0 && units % restartInterval === 0) {
      bits.restart();
      state.runs = 0;
      for (const each of components) each.previous = 0;
    }
    units += 1;
  };
  const [single] = components;
  if (components.length === 1 && single !== undefined) {
    // The blocks of a single component are stored row by row, without those that fill a unit.
    const { columns, rows, stride } = single.component;
    for (let row = 0; row < rows; row += 1) {
      for (let column = 0; column < columns; column += 1) {
        restartIfDue();
        decode(single, (row * stride + column) * 64);
      }
    }
    return;
  }
  for (let unitRow = 0; unitRow < scan.unitsHigh; unitRow += 1) {
    for (let unit = 0; unit < scan.unitsWide; unit += 1) {
      restartIfDue();
      for (const each of components) {
        const { h, v, stride } = each.component;
        for (let y = 0; y < v; y += 1) {
          for (let x = 0; x < h; x += 1) decode(each, ((unitRow * v + y) * stride + unit * h + x) * 64);
        }
      }
    }
  }
}

function blockDecoder(scan: Scan, bits: JpegBits, state: { runs: number }): DecodeBlock {
  if (!scan.isProgressive) return (each, at) => readBaseline(each, at, bits);
  if (scan.first === 0) {
    return scan.high === 0
      ? (each, at) => {
          each.previous += bits.signed(bits.value(required(each.dc)));
          each.component.coefficients[at] = each.previous << scan.low;
        }
      : ({ component }, at) => {
          if (bits.bit() === 1)
            component.coefficients[at] = (component.coefficients[at] ?? 0) | (1 << scan.low);
        };
  }
  return scan.high === 0
    ? (each, at) => readFirst(each, at, scan, bits, state)
    : (each, at) => readRefinement(each, at, scan, bits, state);
}

function required(table: HuffmanTable | undefined): HuffmanTable {
  if (table === undefined) throw damaged('jpeg', 'a table of Huffman codes is missing');
  return table;
}

function readBaseline(each: ScanComponent, at: number, bits: JpegBits): void {
  const { coefficients } = each.component;
  each.previous += bits.signed(bits.value(required(each.dc)));
  coefficients[at] = each.previous;
  const table = required(each.ac);
  for (let index = 1; index < 64; index += 1) {
    const code = bits.value(table);
    const size = code & 15;
    const zeros = code >> 4;
    if (size === 0 && zeros < 15) return;
    index += zeros;
    if (size > 0) coefficients[at + zigzag(index)] = bits.signed(size);
  }
}

/** The first bits of coefficients other than the first one, of a progressive image. */
function readFirst(
  each: ScanComponent,
  at: number,
  { first, last, low }: Scan,
  bits: JpegBits,
  state: { runs: number },
): void {
  if (state.runs > 0) {
    state.runs -= 1;
    return;
  }
  const { coefficients } = each.component;
  const table = required(each.ac);
  for (let index = first; index <= last; index += 1) {
    const code = bits.value(table);
    const size = code & 15;
    const zeros = code >> 4;
    if (size === 0 && zeros < 15) {
      // The rest of this block and of the following ones is zero.
      state.runs = (1 << zeros) - 1 + bits.bits(zeros);
      return;
    }
    index += zeros;
    if (size > 0) coefficients[at + zigzag(index)] = bits.signed(size) * (1 << low);
  }
}

/** One more bit of coefficients other than the first one. */
function readRefinement(
  each: ScanComponent,
  at: number,
  { first, last, low }: Scan,
  bits: JpegBits,
  state: { runs: number },
): void {
  const { coefficients } = each.component;
  const step = 1 << low;
  const refine = (position: number): void => {
    const value = coefficients[position] ?? 0;
    if (bits.bit() === 1 && (Math.abs(value) & step) === 0) {
      coefficients[position] = value < 0 ? value - step : value + step;
    }
  };
  let index = first;
  if (state.runs === 0) {
    const table = required(each.ac);
    for (; index <= last; index += 1) {
      const code = bits.value(table);
      let zeros = code >> 4;
      let value = 0;
      if ((code & 15) === 0) {
        if (zeros < 15) {
          state.runs = (1 << zeros) + bits.bits(zeros);
          break;
        }
      } else value = bits.bit() === 1 ? step : -step;
      for (; index <= last; index += 1) {
        const position = at + zigzag(index);
        if (coefficients[position] === 0) {
          if (zeros === 0) break;
          zeros -= 1;
        } else refine(position);
      }
      if (value !== 0 && index <= last) coefficients[at + zigzag(index)] = value;
    }
  }
  if (state.runs === 0) return;
  for (; index <= last; index += 1) {
    const position = at + zigzag(index);
    if (coefficients[position] !== 0) refine(position);
  }
  state.runs -= 1;
}
