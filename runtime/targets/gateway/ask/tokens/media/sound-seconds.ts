/** Compressed sound of 128 kbit/s; speech is often smaller, so its length is rather under- than overestimated by less. */
const COMPRESSED_BYTES_PER_SECOND = 16_000;

/** The length of sound in base64: of WAV from its header, of compressed formats from their size. */
export function soundSeconds(base64: string): number {
  const bytes = (base64.length * 3) / 4;
  const head = Buffer.from(base64.slice(0, 64), 'base64');
  const isWav =
    head.length >= 32 &&
    head.toString('latin1', 0, 4) === 'RIFF' &&
    head.toString('latin1', 8, 12) === 'WAVE';
  const rate = isWav ? head.readUInt32LE(28) : 0;
  return bytes / (rate > 0 ? rate : COMPRESSED_BYTES_PER_SECOND);
}
