import type { ImageSize } from '#contract/image-recipe.ts';
import { ByteCursor } from './byte-cursor.ts';
import { damaged } from './damaged.ts';

/** A chunk of a WebP file, with its header and its padding. */
interface Chunk {
  readonly name: string;
  readonly content: Uint8Array;
  readonly whole: Uint8Array;
}

export interface WebpFile extends ImageSize {
  /** Whether the header states that the image has transparency. Otherwise, it is ignored. */
  readonly hasAlpha: boolean;
  readonly isLossless: boolean;
  /**
   * The first image of an animation and its position on the canvas; undefined if the file is not an
   * animation.
   */
  readonly frame:
    | (ImageSize & { readonly left: number; readonly top: number; readonly file: Uint8Array })
    | undefined;
}

const RIFF_HEADER_BYTES = 12;
const ANIMATED = 0x02;
const ALPHA = 0x10;
/** Names of chunks with the pixels of an image, for the two compression methods. */
const LOSSLESS = 'VP8L';
const IMAGE_DATA: readonly string[] = ['VP8 ', LOSSLESS];

/** Reads the size of a WebP file, and the first image of an animation as a file of its own. */
export function readWebpFile(bytes: Uint8Array): WebpFile {
  const cursor = new ByteCursor('webp', bytes, RIFF_HEADER_BYTES);
  const name = cursor.name(4);
  cursor.u32le();
  if (name !== 'VP8X')
    return { ...bitstreamHeader(name, bytes, cursor.at), isLossless: name === LOSSLESS, frame: undefined };
  const flags = cursor.u8();
  cursor.take(3);
  const [width, height] = [cursor.u24le() + 1, cursor.u24le() + 1];
  const hasAlpha = (flags & ALPHA) !== 0;
  if ((flags & ANIMATED) === 0) {
    const isLossless = chunks(bytes, RIFF_HEADER_BYTES, IMAGE_DATA, IMAGE_DATA)[0]?.name === LOSSLESS;
    return { width, height, hasAlpha, isLossless, frame: undefined };
  }
  return { width, height, hasAlpha, ...firstFrame(bytes, { width, height }) };
}

/** The size that the data of an image state, and whether it has transparency, for the two compression methods. */
function bitstreamHeader(
  name: string,
  bytes: Uint8Array,
  start: number,
): ImageSize & { readonly hasAlpha: boolean } {
  const cursor = new ByteCursor('webp', bytes, start);
  if (name === LOSSLESS) {
    if (cursor.u8() !== 0x2f) throw damaged('webp', 'its lossless data have a wrong signature');
    const packed = cursor.u32le();
    const [width, height] = [(packed & 0x3fff) + 1, ((packed >>> 14) & 0x3fff) + 1];
    return { width, height, hasAlpha: ((packed >>> 28) & 1) === 1 };
  }
  if (name !== 'VP8 ') throw damaged('webp', `its first chunk is ${JSON.stringify(name)}`);
  cursor.take(3);
  if (cursor.name(3) !== '\u{9d}\u{01}*') throw damaged('webp', 'its lossy data have a wrong signature');
  return { width: cursor.u16le() & 0x3fff, height: cursor.u16le() & 0x3fff, hasAlpha: false };
}

function firstFrame(bytes: Uint8Array, canvas: ImageSize): Pick<WebpFile, 'frame' | 'isLossless'> {
  const [found] = chunks(bytes, RIFF_HEADER_BYTES, ['ANMF'], ['ANMF']);
  if (found === undefined) throw damaged('webp', 'it is an animation without images');
  const cursor = new ByteCursor('webp', found.content);
  const [left, top] = [cursor.u24le() * 2, cursor.u24le() * 2];
  const [width, height] = [cursor.u24le() + 1, cursor.u24le() + 1];
  if (left + width > canvas.width || top + height > canvas.height) {
    throw damaged('webp', 'its first image exceeds its canvas');
  }
  // The duration and the flags of the image.
  cursor.take(4);
  const parts = chunks(found.content, cursor.at, ['ALPH', ...IMAGE_DATA], IMAGE_DATA);
  const data = parts.find(({ name }) => IMAGE_DATA.includes(name));
  if (data === undefined) throw damaged('webp', 'its first image has no data');
  const size = bitstreamHeader(data.name, data.content, 0);
  if (size.width !== width || size.height !== height) {
    throw damaged('webp', 'the data of its first image have another size than its header');
  }
  const alpha = data.name === 'VP8 ' ? parts.find(({ name }) => name === 'ALPH') : undefined;
  const file = stillFile(size, data.whole, alpha?.whole);
  return { frame: { left, top, width, height, file }, isLossless: data.name === LOSSLESS };
}

/** The chunks from a position on that are named in `names`, up to and including the first one that is named in `last`. */
function chunks(
  bytes: Uint8Array,
  start: number,
  names: readonly string[],
  last: readonly string[],
): Chunk[] {
  const cursor = new ByteCursor('webp', bytes, start);
  const found: Chunk[] = [];
  while (cursor.left >= 8) {
    cursor.countPart();
    const from = cursor.at;
    const name = cursor.name(4);
    const length = cursor.u32le();
    cursor.skip(length);
    // Contents of an odd length are padded.
    if (length % 2 === 1 && cursor.left > 0) cursor.skip(1);
    if (!names.includes(name)) continue;
    const content = bytes.subarray(from + 8, from + 8 + length);
    found.push({ name, content, whole: bytes.subarray(from, cursor.at) });
    if (last.includes(name)) break;
  }
  return found;
}

/** A WebP file with one image. */
function stillFile(
  { width, height }: ImageSize,
  data: Uint8Array,
  alpha: Uint8Array | undefined,
): Uint8Array {
  const extended = alpha === undefined ? 0 : 18;
  const total = RIFF_HEADER_BYTES + extended + (alpha?.length ?? 0) + data.length;
  const bytes = new Uint8Array(total);
  const view = new DataView(bytes.buffer);
  const encoder = new TextEncoder();
  const name = (text: string, at: number): void => bytes.set(encoder.encode(text), at);
  name('RIFF', 0);
  view.setUint32(4, total - 8, true);
  name('WEBP', 8);
  if (alpha !== undefined) {
    name('VP8X', 12);
    view.setUint32(16, 10, true);
    bytes[20] = ALPHA;
    view.setUint32(24, width - 1, true);
    view.setUint32(27, height - 1, true);
    // Each size has three bytes; the fourth byte that is written here is overwritten.
    bytes.set(alpha, RIFF_HEADER_BYTES + extended);
  }
  bytes.set(data, total - data.length);
  return bytes;
}
