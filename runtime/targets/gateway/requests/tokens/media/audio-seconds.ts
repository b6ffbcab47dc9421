import type { FormFile } from '../../../shared/form.ts';

/** Compressed audio of 128 kbit/s; speech is often smaller, so its length is rather under- than overestimated by less. */
const COMPRESSED_BYTES_PER_SECOND = 16_000;

/** The length of audio in base64: of WAV from its header, of compressed formats from their size. */
export const audioSeconds = (base64: string): number =>
  lengthOfAudio(Buffer.from(base64.slice(0, 64), 'base64'), (base64.length * 3) / 4);

/** The same for a file of this size that begins with `head`. */
function lengthOfAudio(head: Buffer, bytes: number): number {
  const isWav =
    head.length >= 32 &&
    head.toString('latin1', 0, 4) === 'RIFF' &&
    head.toString('latin1', 8, 12) === 'WAVE';
  const rate = isWav ? head.readUInt32LE(28) : 0;
  return bytes / (rate > 0 ? rate : COMPRESSED_BYTES_PER_SECOND);
}

/** The length of an audio file. */
export const lengthOfFile = ({ pieces, bytes }: Pick<FormFile, 'pieces' | 'bytes'>): number => {
  const [first = new Uint8Array()] = pieces;
  return lengthOfAudio(Buffer.from(first.subarray(0, 64)), bytes);
};
