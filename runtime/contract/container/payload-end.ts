/**
 * Returns the position where the appended payload of an executable must end, determined from
 * `head`, its first 64 KiB or less. On macOS and Windows, a signature follows and covers the
 * payload, so the payload ends where the signature starts. In all other formats, including unknown
 * ones, the payload ends with the file. Whether there is a payload is determined by checking the
 * footer. Never throws.
 */
export function payloadEnd(head: Uint8Array, fileSize: number): number {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const signature = machoSignatureOffset(view) ?? peSignatureOffset(view, fileSize);
  return signature !== undefined && signature > 0 && signature <= fileSize ? signature : fileSize;
}

/** `LC_CODE_SIGNATURE.dataoff` of a thin 64-bit Mach-O file (<mach-o/loader.h>). */
function machoSignatureOffset(view: DataView): number | undefined {
  const MH_MAGIC_64 = 0xfeedfacf;
  const LC_CODE_SIGNATURE = 0x1d;
  const headerLength = 32;
  if (u32(view, 0) !== MH_MAGIC_64) return undefined;
  const end = Math.min(view.byteLength, headerLength + (u32(view, 20) ?? 0));
  let at = headerLength;
  for (let left = u32(view, 16) ?? 0; left > 0 && at + 8 <= end; left--) {
    const size = u32(view, at + 4) ?? 0;
    if (size < 8) return undefined;
    if (u32(view, at) === LC_CODE_SIGNATURE) return at + 16 <= end ? u32(view, at + 8) : undefined;
    at += size;
  }
  return undefined;
}

/**
 * The security directory of a PE32+ file, which is the only directory with a file offset
 * (Microsoft's PE Format, "Optional Header Data Directories"). Injecting a SEA blob keeps the
 * directory of Node's own signature, which then points into the middle of the file. The directory
 * is therefore only used if the certificates are at the end of the file, as in every signed file.
 */
function peSignatureOffset(view: DataView, fileSize: number): number | undefined {
  const MZ = 0x5a4d;
  const PE_SIGNATURE = 0x4550;
  const PE32_PLUS = 0x20b;
  const IMAGE_DIRECTORY_ENTRY_SECURITY = 4;
  if (u16(view, 0) !== MZ) return undefined;
  const header = u32(view, 0x3c) ?? 0;
  if (u32(view, header) !== PE_SIGNATURE) return undefined;
  const optional = header + 24;
  if (u16(view, optional) !== PE32_PLUS) return undefined;
  const directory = 112 + 8 * IMAGE_DIRECTORY_ENTRY_SECURITY;
  const optionalLength = u16(view, header + 20) ?? 0;
  const directories = u32(view, optional + 108) ?? 0;
  if (directories <= IMAGE_DIRECTORY_ENTRY_SECURITY || optionalLength < directory + 8) return undefined;
  const offset = u32(view, optional + directory) ?? 0;
  const end = offset + (u32(view, optional + directory + 4) ?? 0);
  // Certificates are padded to a multiple of 8 bytes; their size does not always include the padding.
  return end <= fileSize && fileSize - end < 8 ? offset : undefined;
}

function u16(view: DataView, offset: number): number | undefined {
  return offset + 2 <= view.byteLength ? view.getUint16(offset, true) : undefined;
}

function u32(view: DataView, offset: number): number | undefined {
  return offset + 4 <= view.byteLength ? view.getUint32(offset, true) : undefined;
}
