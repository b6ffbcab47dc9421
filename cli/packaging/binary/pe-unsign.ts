import { configError } from '#contract/errors.ts';

/**
 * Removes the signature from a Windows executable. Injection would invalidate the signature and
 * leave a directory entry that points into the middle of the file, so that tools could not sign the
 * result. The offsets are from Microsoft's PE Format specification.
 */
export function unsignPe(file: Uint8Array): Uint8Array {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const header = file.length > 0x40 ? view.getUint32(0x3c, true) : file.length;
  const directory = header + OPTIONAL_HEADER + SECURITY_DIRECTORY;
  if (directory + 8 > file.length || view.getUint32(header, true) !== PE_SIGNATURE) {
    throw configError(
      'The Node binary for Windows is not a PE file. Remove it from the cache and build again.',
    );
  }
  const start = view.getUint32(directory, true);
  const end = start + view.getUint32(directory + 4, true);
  const isLast = start > 0 && end <= file.length && file.length - end < 8;
  const unsigned = file.slice(0, isLast ? start : file.length);
  new DataView(unsigned.buffer).setBigUint64(directory, 0n, true);
  return unsigned;
}

const PE_SIGNATURE = 0x4550;
const OPTIONAL_HEADER = 24;
/** The fifth data directory of a PE32+ optional header. */
const SECURITY_DIRECTORY = 112 + 8 * 4;
