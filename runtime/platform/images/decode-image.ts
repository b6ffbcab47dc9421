import type { AlphaRule, ImageSize } from '#contract/image-recipe.ts';
import { damaged, type ImageFormat, unsupported } from '#core/images/formats/damaged.ts';
import { gifImage } from '#core/images/formats/gif-image.ts';
import { jpegImage } from '#core/images/formats/jpeg/jpeg-image.ts';
import { readJpegFile } from '#core/images/formats/jpeg-file.ts';
import { readWebpFile } from '#core/images/formats/webp-file.ts';
import { DEFAULT_IMAGE_LIMITS, type ImageLimits, readImageSize } from '#core/images/read-image-size.ts';
import { RGB, type RgbImage, type TransparentImage } from '#core/images/rgb-image.ts';
import { withoutAlpha } from '#core/images/without-alpha.ts';
import { decodePng } from './decode-png.ts';
import { readDecoderWasm } from './decoder-wasm.ts';
import { baselineJpeg } from './pixels/baseline-jpeg.ts';
import { WasmDecoder, type WasmFactory } from './wasm-decoder.ts';

/**
 * Decodes a JPEG, PNG or WebP image, or the first image of a GIF or WebP animation, to the same pixels as
 * Pillow's `Image.open(...).convert("RGB")`. The orientation in Exif data is ignored, as transformers ignores it.
 */
export async function decodeImage(
  bytes: Uint8Array,
  alpha: AlphaRule,
  limits: ImageLimits = DEFAULT_IMAGE_LIMITS,
): Promise<RgbImage> {
  const { format, ...size } = readImageSize(bytes, limits);
  return withoutAlpha(await DECODERS[format](bytes, size, limits), alpha);
}

type Decode = (
  bytes: Uint8Array,
  size: ImageSize,
  limits: ImageLimits,
) => TransparentImage | Promise<TransparentImage>;

const DECODERS: Readonly<Record<ImageFormat, Decode>> = {
  jpeg: decodeJpeg,
  png: decodePng,
  webp: decodeWebp,
  gif: gifImage,
};

/** Whether the orientation in Exif data is applied. */
const APPLIES_ORIENTATION = false;

const jpeg = new WasmDecoder(
  'jpeg',
  async () => ({
    factory: (await import('@jsquash/jpeg/codec/dec/mozjpeg_dec.js')).default as unknown as WasmFactory,
    wasm: readDecoderWasm('jpeg.wasm'),
  }),
  APPLIES_ORIENTATION,
);

const webp = new WasmDecoder('webp', async () => ({
  factory: (await import('@jsquash/webp/codec/dec/webp_dec.js')).default as unknown as WasmFactory,
  wasm: readDecoderWasm('webp.wasm'),
}));

/** The own decoder needs about 20 bytes per pixel. */
const MAX_PIXELS_OF_OWN_DECODER = 10_000_000;

/** Progressive images have about ten passes. Without a limit, a small file can take minutes. */
const MAX_SCANS = 100;
/** The time for this many passes over an image of the allowed size is acceptable. */
const MAX_SCANS_OF_LARGEST = 20;

async function decodeJpeg(
  bytes: Uint8Array,
  size: ImageSize,
  limits: ImageLimits,
): Promise<TransparentImage> {
  const { components, hasLowColors, scans, isComplete } = readJpegFile(bytes);
  if (!isComplete) throw damaged('jpeg', `the file ends at byte ${bytes.length}, before its end marker`);
  const work = scans * size.width * size.height;
  if (scans > MAX_SCANS || work > MAX_SCANS_OF_LARGEST * limits.pixels) {
    throw unsupported(
      'jpeg',
      `it has ${scans} passes over ${size.width} x ${size.height} pixels, which would take too long`,
    );
  }
  const isForOwnDecoder = components === 4 || hasLowColors;
  if (isForOwnDecoder && size.width * size.height > MAX_PIXELS_OF_OWN_DECODER) {
    throw unsupported(
      'jpeg',
      `images with printing colors or with color rows of half the height can have at most ${MAX_PIXELS_OF_OWN_DECODER} pixels, but it has ${size.width} x ${size.height}`,
    );
  }
  // The decoder in WebAssembly cannot convert printing colors, and does not interpolate rows as Pillow's does.
  if (isForOwnDecoder) return jpegImage(bytes);
  return baselineJpeg(bytes, size) ?? (await jpeg.decode(bytes, size));
}

async function decodeWebp(bytes: Uint8Array, size: ImageSize): Promise<TransparentImage> {
  const { frame, hasAlpha } = readWebpFile(bytes);
  const image = await webp.decode(frame?.file ?? bytes, frame ?? size);
  const isWhole = image.width === size.width && image.height === size.height;
  const whole = frame === undefined || isWhole ? image : onTransparentCanvas(image, frame, size);
  return hasAlpha ? whole : { ...whole, alpha: undefined };
}

/** Places the first image of an animation on its canvas, which is black and transparent. */
function onTransparentCanvas(
  image: TransparentImage,
  { left, top }: { readonly left: number; readonly top: number },
  { width, height }: ImageSize,
): TransparentImage {
  const pixels = new Uint8Array(width * height * RGB);
  const alpha = new Uint8Array(width * height);
  for (let row = 0; row < image.height; row += 1) {
    const to = (top + row) * width + left;
    const from = row * image.width;
    pixels.set(image.pixels.subarray(from * RGB, (from + image.width) * RGB), to * RGB);
    if (image.alpha === undefined) alpha.fill(255, to, to + image.width);
    else alpha.set(image.alpha.subarray(from, from + image.width), to);
  }
  return { width, height, pixels, alpha };
}
