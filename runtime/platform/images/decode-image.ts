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

/** Progressive images have about 14 passes. Without a limit, a small file can take minutes. */
const MAX_PASSES = 100;
/** The time for this many passes over one color of an image of the allowed size is acceptable. */
const MAX_PASSES_OF_LARGEST = 18;
/** The same for the own decoder. Usual files have 24. */
const MAX_PASSES_OF_OWN_DECODER = 24;

async function decodeJpeg(
  bytes: Uint8Array,
  size: ImageSize,
  limits: ImageLimits,
): Promise<TransparentImage> {
  const { components, hasLowColors, passes, isComplete } = readJpegFile(bytes);
  if (!isComplete) throw damaged('jpeg', `the file ends at byte ${bytes.length}, before its end marker`);
  const pixels = size.width * size.height;
  const isForOwnDecoder = components === 4 || hasLowColors;
  const maxWork = isForOwnDecoder
    ? MAX_PASSES_OF_OWN_DECODER * MAX_PIXELS_OF_OWN_DECODER
    : MAX_PASSES_OF_LARGEST * limits.pixels;
  if (isForOwnDecoder && pixels > MAX_PIXELS_OF_OWN_DECODER) {
    throw unsupported(
      'jpeg',
      `images with printing colors or with color rows of half the height can have at most ${MAX_PIXELS_OF_OWN_DECODER} pixels, but it has ${size.width} x ${size.height}`,
    );
  }
  if (passes > MAX_PASSES || passes * pixels > maxWork) {
    throw unsupported(
      'jpeg',
      `it has ${passes} passes over ${size.width} x ${size.height} pixels, which would take too long`,
    );
  }
  // The decoder in WebAssembly cannot convert printing colors, and does not interpolate rows as Pillow's does.
  if (isForOwnDecoder) return jpegImage(bytes);
  return baselineJpeg(bytes, size) ?? (await jpeg.decode(bytes, size));
}

/** Share of the allowed pixels for lossless WebP images, which take the longest to decode. Larger photographs exceed the allowed bytes. */
const SHARE_OF_LOSSLESS_WEBP = 0.5;

async function decodeWebp(
  bytes: Uint8Array,
  size: ImageSize,
  limits: ImageLimits,
): Promise<TransparentImage> {
  const { frame, hasAlpha, isLossless } = readWebpFile(bytes);
  const maxPixels = Math.floor(limits.pixels * (isLossless ? SHARE_OF_LOSSLESS_WEBP : 1));
  if (size.width * size.height > maxPixels) {
    throw unsupported(
      'webp',
      `lossless images can have at most ${maxPixels} pixels, but it has ${size.width} x ${size.height}`,
    );
  }
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
