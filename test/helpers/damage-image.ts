import { crc32 } from 'node:zlib';
import { AppError, messageOf } from '#contract/errors.ts';
import { imageFormat, type ImageLimits } from '#core/images/read-image-size.ts';
import { decodeImage } from '#platform/images/decode-image.ts';

/** Pseudorandom whole numbers below a limit, which are the same for the same seed (mulberry32). */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/** Number of bytes at the start of a file that contain most of its sizes. */
const HEADER_BYTES = 200;
/** Values that are often limits of a length, a size or a marker. */
const SPECIAL = [0, 1, 0x7f, 0x80, 0xfe, 0xff];

/**
 * A damaged image file: with changed bytes, half of them in its header, or with a part that is missing, repeated or
 * moved. Unlike `damageBytes`, it corrects checksums in half of the PNG files, so that the damage behind them is found.
 */
export function damageImage(file: Uint8Array, seed: number): Uint8Array {
  const random = randomNumbers(seed);
  const bytes = new Uint8Array(file);
  const place = (): number => random(random(2) === 0 ? Math.min(bytes.length, HEADER_BYTES) : bytes.length);
  const kind = random(12);
  if (kind === 0) return bytes.subarray(0, random(bytes.length));
  if (kind === 1) {
    const from = place();
    return Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + 1 + random(60))]);
  }
  if (kind === 2) {
    const from = place();
    return Buffer.concat([bytes.subarray(0, from + 1 + random(60)), bytes.subarray(from)]);
  }
  if (kind === 3) {
    const from = place();
    bytes.copyWithin(place(), from, from + random(60));
  }
  for (let changes = 1 + random(random(2) === 0 ? 2 : 12); changes > 0; changes -= 1) {
    const at = place();
    bytes[at] =
      random(2) === 0 ? (SPECIAL[random(SPECIAL.length)] ?? 0) : (bytes[at] ?? 0) ^ (1 << random(8));
  }
  if (random(2) === 0 && imageFormat(bytes) === 'png') correctChecksums(bytes);
  return bytes;
}

/** Writes the checksums of all chunks of a PNG file that are complete. */
function correctChecksums(bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 8; at + 12 <= bytes.length;) {
    const end = at + 8 + view.getUint32(at);
    if (end + 4 > bytes.length) return;
    view.setUint32(end, crc32(bytes.subarray(at + 4, end)));
    at = end + 4;
  }
}

/** Images of tests are small, so that a wrong size is either rejected or decoded in little time. */
const SMALL_LIMITS: ImageLimits = { bytes: 1_000_000, pixels: 1_000_000 };

/**
 * Decodes a damaged file. Returns whether there are pixels or a sentence, and throws if there is neither: an
 * unexpected error, several sentences, or pixels that do not fit the size.
 */
export async function decodeDamaged(bytes: Uint8Array): Promise<'pixels' | 'sentence'> {
  try {
    const { pixels, width, height } = await decodeImage(bytes, 'white', SMALL_LIMITS);
    if (pixels.length === width * height * 3 && pixels.length > 0) return 'pixels';
    throw new Error(`${pixels.length} bytes for ${width} x ${height} pixels`);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const isSentence =
      ['InputError', 'TooLargeError'].includes(error.code) && /^[A-Z][^\n]*\.$/.test(error.message);
    if (isSentence) return 'sentence';
    throw new Error(`not one sentence: ${messageOf(error)}`, { cause: error });
  }
}
