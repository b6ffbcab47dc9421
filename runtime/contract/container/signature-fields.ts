/**
 * Returns the first bytes of an executable with zeros in the fields that change when it is signed: on macOS, the size of the signature and of the
 * segment that contains it; on Windows, the checksum and the position of the certificates. The hash of the program is computed from these bytes, so
 * that a file that is signed after the build remains intact. Returns the same array if there are no such fields. Never throws.
 */
export function withoutSignatureFields(head: Uint8Array): Uint8Array {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const fields = [...machoFields(view), ...peFields(view)].filter(
    ({ at, length }) => at + length <= head.length,
  );
  if (fields.length === 0) return head;
  // `slice` of a Buffer would share its memory.
  const copy = new Uint8Array(head);
  for (const { at, length } of fields) copy.fill(0, at, at + length);
  return copy;
}

interface Field {
  readonly at: number;
  readonly length: number;
}

/** `LC_CODE_SIGNATURE.datasize`, and the sizes of `__LINKEDIT` in memory and in the file (<mach-o/loader.h>). */
function machoFields(view: DataView): Field[] {
  const MH_MAGIC_64 = 0xfeedfacf;
  const LC_SEGMENT_64 = 0x19;
  const LC_CODE_SIGNATURE = 0x1d;
  const headerLength = 32;
  if (view.byteLength < headerLength || view.getUint32(0, true) !== MH_MAGIC_64) return [];
  const end = Math.min(view.byteLength, headerLength + view.getUint32(20, true));
  const fields: Field[] = [];
  let at = headerLength;
  for (let left = view.getUint32(16, true); left > 0 && at + 8 <= end; left--) {
    const [type, size] = [view.getUint32(at, true), view.getUint32(at + 4, true)];
    if (size < 8) return fields;
    if (type === LC_CODE_SIGNATURE) fields.push({ at: at + 12, length: 4 });
    if (type === LC_SEGMENT_64 && isLinkEdit(view, at + 8))
      fields.push({ at: at + 32, length: 8 }, { at: at + 48, length: 8 });
    at += size;
  }
  return fields;
}

function isLinkEdit(view: DataView, at: number): boolean {
  const name = '__LINKEDIT\0';
  return (
    at + name.length <= view.byteLength &&
    Array.from(name).every((letter, index) => view.getUint8(at + index) === letter.charCodeAt(0))
  );
}

/** `CheckSum` and the security directory of a PE32+ file (Microsoft's PE Format, "Optional Header"). */
function peFields(view: DataView): Field[] {
  const MZ = 0x5a4d;
  const PE_SIGNATURE = 0x4550;
  const PE32_PLUS = 0x20b;
  const IMAGE_DIRECTORY_ENTRY_SECURITY = 4;
  if (view.byteLength < 0x40 || view.getUint16(0, true) !== MZ) return [];
  const header = view.getUint32(0x3c, true);
  const optional = header + 24;
  if (optional + 2 > view.byteLength || view.getUint32(header, true) !== PE_SIGNATURE) return [];
  if (view.getUint16(optional, true) !== PE32_PLUS) return [];
  return [
    { at: optional + 64, length: 4 },
    { at: optional + 112 + 8 * IMAGE_DIRECTORY_ENTRY_SECURITY, length: 8 },
  ];
}
