import { readDecoderWasm } from '../decoder-wasm.ts';

/** The functions of pixels.wasm. All of their arguments are numbers, most of them addresses in its memory. */
export interface PixelFunctions {
  readonly memory: { readonly buffer: ArrayBuffer; readonly grow: (pages: number) => number };
  /** The first address that can be used. */
  readonly start: () => number;
  readonly narrowRows: PixelFunction;
  readonly lowerColumns: PixelFunction;
  readonly buildTable: PixelFunction;
  readonly decodeScan: PixelFunction;
  readonly colorRow: PixelFunction;
  readonly rgbRow: PixelFunction;
  readonly greyRow: PixelFunction;
}
type PixelFunction = (...values: readonly number[]) => number;

/** The part of WebAssembly's interface that is used; Node's types do not contain it. */
interface WebAssemblyInterface {
  readonly Module: new (bytes: Uint8Array) => CompiledWasm;
  readonly Instance: new (compiled: CompiledWasm) => { readonly exports: object };
}
type CompiledWasm = object;
const { WebAssembly } = globalThis as unknown as { readonly WebAssembly: WebAssemblyInterface };

const PAGE = 65_536;
/** Memory never shrinks, so that a machine with more memory is not used again. */
const MAX_KEPT_MEMORY = 64 * 1024 * 1024;
/** Vectors are read and written as a whole, also at the end of a part. */
const SPARE = 64;

let compiled: CompiledWasm | undefined;
let kept: PixelFunctions | undefined;

/** Own code in WebAssembly (pixels/*.as) with memory for the parts of one computation. */
export class PixelMachine {
  readonly functions: PixelFunctions;
  #end: number;

  /**
   * `sizes` are the bytes of the parts that `take` returns one by one. Only one machine can be in use at a time; its
   * memory contains what the previous one wrote.
   */
  constructor(sizes: readonly number[]) {
    compiled ??= new WebAssembly.Module(readDecoderWasm('pixels.wasm'));
    this.functions = kept ?? (new WebAssembly.Instance(compiled).exports as PixelFunctions);
    const { memory, start } = this.functions;
    this.#end = aligned(start());
    const bytes = sizes.reduce((sum, size) => sum + aligned(size + SPARE), this.#end);
    const missing = Math.ceil((bytes - memory.buffer.byteLength) / PAGE);
    if (missing > 0) memory.grow(missing);
    kept = memory.buffer.byteLength <= MAX_KEPT_MEMORY ? this.functions : undefined;
  }

  /** The address of the next part. */
  take(size: number): number {
    const start = this.#end;
    this.#end += aligned(size + SPARE);
    return start;
  }

  /** A part of the memory. */
  bytes(start: number, length: number): Uint8Array {
    return new Uint8Array(this.functions.memory.buffer, start, length);
  }

  /** Stores numbers in the next part, and returns its address. */
  put(values: Uint8Array | Uint16Array | Int32Array): number {
    const start = this.take(values.byteLength);
    this.bytes(start, values.byteLength).set(
      new Uint8Array(values.buffer, values.byteOffset, values.byteLength),
    );
    return start;
  }
}

const aligned = (bytes: number): number => Math.ceil(bytes / 16) * 16;
