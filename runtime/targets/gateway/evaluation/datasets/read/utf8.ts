import { inputError } from '#contract/errors.ts';

/** Decodes a UTF-8 file, piece by piece. Throws an InputError for any other encoding. */
export async function* decodeUtf8(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let offset = 0;
  for await (const piece of bytes) {
    if (offset === 0 && isUtf16(piece)) throw notUtf8('it starts with a UTF-16 byte order mark');
    yield decode(
      () => decoder.decode(piece, { stream: true }),
      () => offset + validBytes(piece),
    );
    offset += piece.length;
  }
  yield decode(
    () => decoder.decode(),
    () => offset,
  );
}

/** Number of valid bytes at the start of a piece: invalid bytes change when decoded and re-encoded. */
function validBytes(piece: Uint8Array): number {
  const again = new TextEncoder().encode(new TextDecoder('utf-8', { ignoreBOM: true }).decode(piece));
  return Math.max(
    0,
    piece.findIndex((byte, at) => byte !== again[at]),
  );
}

function decode(run: () => string, validUntil: () => number): string {
  try {
    return run();
  } catch {
    throw notUtf8(`invalid byte at offset ${validUntil()}`);
  }
}

const isUtf16 = ([first, second]: Uint8Array): boolean =>
  (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);

const notUtf8 = (why: string): Error =>
  inputError(`The dataset is not UTF-8 text: ${why}. Save the file as UTF-8 and upload it again.`);
