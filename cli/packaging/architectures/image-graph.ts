import { PIXEL_INPUT } from '#contract/manifest.ts';
import { configError } from '#contract/errors.ts';
import { FLOAT32 } from '#core/onnx/element-types.ts';
import { int, ints } from '#core/onnx/attributes.ts';
import type { ConfigReader } from './config-reader.ts';
import { EncoderGraph } from './encoder-graph.ts';
import type { Axis, Value } from './graph-writer.ts';

/** Height and width of images in pixels, or of a grid in cells. */
export interface ImageSize {
  readonly height: number;
  readonly width: number;
}

/** Models are trained on colors: red, green, blue. */
const CHANNELS = 3;
/** Maximum height and width of images. Published models use at most 1024. */
const MAX_SIDE = 4096;
/** Maximum number of patches of an image. Published models use at most 10,000. */
const MAX_PATCHES = 65_536;

/**
 * A graph whose rows are the patches of images. All images have the size that the image processor
 * gives them, and therefore the same number of rows.
 */
export class ImageGraph extends EncoderGraph {
  /** Undefined if images have different sizes, which only some architectures support. */
  readonly #size: ImageSize | undefined;
  readonly #tokens: number | Value;
  override readonly hasPadding = false;

  /**
   * `tokens` is the number of rows of each image: a number, or a value of the graph, as a list with one number.
   */
  constructor(
    { weights, config, writer }: EncoderGraph,
    size: ImageSize | undefined,
    tokens: number | Value = 1,
  ) {
    super(weights, config, writer);
    this.#size = size;
    config.refuseUnless('num_channels', [CHANNELS]);
    for (const side of size ? [size.height, size.width] : []) {
      if (Number.isSafeInteger(side) && side > 0 && side <= MAX_SIDE) continue;
      throw configError(
        `The image processor creates images of ${sizeText(this.size)} pixels, but height and width must be whole numbers from 1 to ${MAX_SIDE}. Change the size in preprocessor_config.json.`,
      );
    }
    this.#tokens = tokens;
  }

  /** The size of all images. */
  get size(): ImageSize {
    if (this.#size) return this.#size;
    throw configError(
      `Images of a model of type ${JSON.stringify(this.config.text('model_type', ''))} must all have the same size. Use a preprocessor_config.json whose \`size\` is a height and a width.`,
    );
  }

  /** The same graph for layers in which each image has this number of rows. */
  withTokens(tokens: number | Value): ImageGraph {
    return new ImageGraph(this, this.#size, tokens);
  }

  /** A part of the model that reads the same images and has its own weights and settings. */
  within(weightPrefix: string, config: ConfigReader): ImageGraph {
    return new ImageGraph(new EncoderGraph(this.weights.part(weightPrefix), config, this.writer), this.#size);
  }

  /** Images x channels x height x width. */
  get pixels(): Value {
    const sides: readonly Axis[] = this.#size ? [this.#size.height, this.#size.width] : ['height', 'width'];
    return this.writer.input(PIXEL_INPUT, { type: FLOAT32, axes: ['batch', CHANNELS, ...sides] });
  }

  /** Number of images, as a list with one number. */
  get batch(): Value {
    return this.writer.once('number of images', () =>
      this.writer.op('Shape', [this.pixels], int('start', 0), int('end', 1)),
    );
  }

  protected override get textShape(): Value {
    const { writer } = this;
    const tokens = this.#tokens;
    return writer.once(`shape of images with ${tokens} rows`, () => {
      const rows = typeof tokens === 'number' ? writer.integers([tokens]) : tokens;
      return writer.op('Concat', [this.batch, rows, writer.integers([-1])], int('axis', 0));
    });
  }

  /** Repeats a constant, whose first axis has the size 1, for each image. `axes` is the number of its axes. */
  forEachImage(value: Value, axes = 3): Value {
    const { writer } = this;
    const ones = writer.integers(Array.from({ length: axes - 1 }, () => 1));
    const shape = writer.once(`shape of constants with ${axes} axes`, () =>
      writer.op('Concat', [this.batch, ones], int('axis', 0)),
    );
    return writer.op('Expand', [value, shape]);
  }

  /** A convolution. The shape of its kernels is that of the weight. */
  convolution(value: Value, name: string, { stride, padding = 0, groups = 1 }: ConvolutionOptions): Value {
    const inputs = [value, this.weight(`${name}.weight`)];
    if (this.weights.has(`${name}.bias`)) inputs.push(this.weight(`${name}.bias`));
    return this.writer.op(
      'Conv',
      inputs,
      ints('strides', typeof stride === 'number' ? [stride, stride] : [stride.height, stride.width]),
      ints('pads', [padding, padding, padding, padding]),
      int('group', groups),
    );
  }

  /** Converts images x channels x height x width to images x cells x channels. */
  cellsOf(map: Value): Value {
    const { writer } = this;
    const flat = writer.op('Reshape', [map, writer.integers([0, 0, -1])]);
    return writer.op('Transpose', [flat], ints('perm', [0, 2, 1]));
  }

  /** Converts rows, one per cell, to images x channels x height x width. */
  mapOf(rows: Value, { height, width }: ImageSize, channels: number): Value {
    const { writer } = this;
    const map = writer.op('Reshape', [rows, writer.integers([-1, height, width, channels])]);
    return writer.op('Transpose', [map], ints('perm', [0, 3, 1, 2]));
  }

  /** Sizes of a value's axes, as a list. */
  sizesOf(value: Value, start: number, end: number): Value {
    return this.writer.op('Shape', [value], int('start', start), int('end', end));
  }

  /** The mean over an axis, which disappears. */
  mean(value: Value, axes: readonly number[]): Value {
    return this.writer.op('ReduceMean', [value, this.writer.integers(axes)], int('keepdims', 0));
  }
}

interface ConvolutionOptions {
  readonly stride: number | ImageSize;
  /** Number of zeros around the map on each side. */
  readonly padding?: number;
  readonly groups?: number;
}

export const sizeText = ({ height, width }: ImageSize): string => `${height} x ${width}`;

/** A size in config.json: a number, or a list with height and width. */
export function readImageSize(config: ConfigReader, key: string, otherwise: number): ImageSize {
  const value = config.value(key);
  if (!Array.isArray(value)) {
    const side = config.size(key, otherwise);
    return { height: side, width: side };
  }
  const [height, width] = value as readonly unknown[];
  if (value.length === 2 && isSide(height) && isSide(width)) return { height, width };
  throw configError(
    `\`${key}\` in config.json must be a whole number above 0, or two, not ${JSON.stringify(value)}.`,
  );
}

const isSide = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;

/** A list of counts in config.json, such as the number of layers of each stage. */
export function readSizes(
  config: ConfigReader,
  key: string,
  otherwise: readonly number[],
): readonly number[] {
  const value = config.value(key) ?? otherwise;
  if (Array.isArray(value) && value.length > 0 && value.every(isSide)) return value;
  throw configError(
    `\`${key}\` in config.json must be a list of whole numbers above 0, not ${JSON.stringify(value)}.`,
  );
}

/** The number of whole patches in each direction. */
export function gridOf(image: ImageSize, patch: ImageSize): ImageSize {
  const grid = {
    height: Math.floor(image.height / patch.height),
    width: Math.floor(image.width / patch.width),
  };
  const count = grid.height * grid.width;
  if (count > 0 && count <= MAX_PATCHES) return grid;
  throw configError(
    `Images of ${sizeText(image)} pixels have ${count} patches of \`patch_size\` in config.json (${sizeText(patch)}), but the number must be from 1 to ${MAX_PATCHES}. Use the config.json and preprocessor_config.json that belong to the weights.`,
  );
}
