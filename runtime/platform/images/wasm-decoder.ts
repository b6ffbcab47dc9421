import { AppError } from '#contract/errors.ts';
import { damaged, type ImageFormat } from '#core/images/formats/damaged.ts';
import { RGB, type TransparentImage } from '#core/images/rgb-image.ts';
import type { ImageSize } from '#contract/image-recipe.ts';

/** A decoder as Emscripten generates it. */
export interface WasmModule {
  /**
   * Returns pixels with red, green, blue and alpha; null if the data are damaged. For JPEG, the second argument
   * states whether the orientation in Exif data is applied.
   */
  readonly decode: (
    bytes: Uint8Array,
    ...rest: readonly boolean[]
  ) => (ImageSize & { readonly data: Uint8ClampedArray }) | null;
  readonly HEAPU8: Uint8Array;
}

/** The part of WebAssembly's interface that is used; Node's types do not contain it. */
interface WebAssemblyInterface {
  readonly compile: (bytes: Uint8Array) => Promise<CompiledWasm>;
  readonly Instance: new (compiled: CompiledWasm, imports: object) => WasmInstance;
}
interface WasmInstance {
  readonly exports: object;
}
type CompiledWasm = object;
const { WebAssembly } = globalThis as unknown as { readonly WebAssembly: WebAssemblyInterface };

/** Options of the function that starts a decoder. */
interface WasmOptions {
  readonly instantiateWasm: (imports: object, start: (instance: WasmInstance) => void) => object;
  readonly locateFile: (name: string) => string;
  readonly print: () => void;
  readonly printErr: () => void;
}

/** Starts a decoder. */
export type WasmFactory = (options: WasmOptions) => Promise<WasmModule>;

/** Loads what Emscripten generated: the function that starts a decoder, and its code. */
export type LoadDecoder = () => Promise<{ readonly factory: WasmFactory; readonly wasm: Uint8Array }>;

/** The memory of a decoder never shrinks, so that a decoder with more memory is not used again. */
const MAX_KEPT_MEMORY = 64 * 1024 * 1024;

const SAMPLES = 4;

/**
 * A decoder in WebAssembly. It is compiled when the first image arrives, and starts again with new memory after
 * an error or a large image.
 */
export class WasmDecoder {
  readonly #format: ImageFormat;
  readonly #load: LoadDecoder;
  readonly #rest: readonly boolean[];
  #compiled: Promise<{ readonly factory: WasmFactory; readonly compiled: CompiledWasm }> | undefined;
  #running: WasmModule | undefined;

  constructor(format: ImageFormat, load: LoadDecoder, ...rest: readonly boolean[]) {
    this.#format = format;
    this.#load = load;
    this.#rest = rest;
  }

  /** Decodes an image that must have this size. */
  async decode(bytes: Uint8Array, { width, height }: ImageSize): Promise<TransparentImage> {
    // Nothing is awaited between the first and the last use of the running decoder.
    const running = this.#running ?? (await this.#start());
    this.#running = undefined;
    const result = this.#run(running, bytes);
    if (running.HEAPU8.buffer.byteLength <= MAX_KEPT_MEMORY) this.#running = running;
    if (result.width !== width || result.height !== height) {
      throw damaged(this.#format, 'its data have another size than its header');
    }
    return splitAlpha(result.data, { width, height });
  }

  #run(running: WasmModule, bytes: Uint8Array): ImageSize & { readonly data: Uint8ClampedArray } {
    let result: ReturnType<WasmModule['decode']>;
    try {
      result = running.decode(bytes, ...this.#rest);
    } catch (error) {
      if (error instanceof AppError) throw error;
      throw damaged(this.#format, 'its data cannot be decoded', error);
    }
    if (result === null) throw damaged(this.#format, 'its data cannot be decoded');
    return result;
  }

  async #start(): Promise<WasmModule> {
    this.#compiled ??= this.#compile();
    const { factory, compiled } = await this.#compiled;
    return await factory({
      instantiateWasm: (imports, start) => {
        const instance = new WebAssembly.Instance(compiled, imports);
        start(instance);
        return instance.exports;
      },
      // The bytes are already compiled. Without a name, Emscripten would look for its file.
      locateFile: (name) => name,
      print: () => undefined,
      printErr: () => undefined,
    });
  }

  async #compile(): Promise<{ readonly factory: WasmFactory; readonly compiled: CompiledWasm }> {
    const { factory, wasm } = await this.#load();
    return { factory, compiled: await WebAssembly.compile(wasm) };
  }
}

function splitAlpha(data: Uint8ClampedArray, { width, height }: ImageSize): TransparentImage {
  const count = width * height;
  const pixels = new Uint8Array(count * RGB);
  const alpha = new Uint8Array(count);
  let isOpaque = true;
  let to = 0;
  let from = 0;
  for (let at = 0; at < count; at += 1) {
    pixels[to] = data[from] ?? 0;
    pixels[to + 1] = data[from + 1] ?? 0;
    pixels[to + 2] = data[from + 2] ?? 0;
    const opacity = data[from + RGB] ?? 0;
    alpha[at] = opacity;
    if (opacity !== 255) isOpaque = false;
    from += SAMPLES;
    to += RGB;
  }
  return { width, height, pixels, alpha: isOpaque ? undefined : alpha };
}
