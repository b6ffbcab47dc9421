import { inputError } from '../../../../../contract/errors.ts';

/** The text of a UTF-8 file, piece by piece. Throws an InputError for any other encoding. */
export async function* decodeUtf8(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let offset = 0;
  for await (const piece of bytes) {
    if (offset === 0 && isUtf16(piece)) throw notUtf8('it begins as UTF-16 does');
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

/** What is no text comes back as something else. */
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
    throw notUtf8(`what comes after byte ${validUntil()} is none`);
  }
}

const isUtf16 = ([first, second]: Uint8Array): boolean =>
  (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);

const notUtf8 = (why: string): Error =>
  inputError(`The dataset is not UTF-8 text: ${why}. Save the file as UTF-8, and upload it again.`);
