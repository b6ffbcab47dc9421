import type { ByteSource } from '#contract/container/byte-source.ts';

/** Facts about a shared library for Linux on x64. */
export interface SharedLibrary {
  /** Names of the libraries that it links to. */
  readonly needed: readonly string[];
  /** Version numbers with three parts among its constants. */
  readonly versions: readonly string[];
}

/**
 * Reads the facts about a shared library (ELF-64). Undefined if the file is damaged, or is not a library
 * for x64.
 */
export function readSharedLibrary(source: ByteSource): SharedLibrary | undefined {
  const header = part(source, 0, 64);
  if (!header || !IDENT.every((byte, at) => header.getUint8(at) === byte)) return undefined;
  if (header.getUint16(18, true) !== MACHINE_X64) return undefined;
  const sections = readSections(source, header);
  const names = sections[header.getUint16(62, true)];
  const dynamic = sections.find(({ type }) => type === SECTION_DYNAMIC);
  const strings = dynamic && sections[dynamic.link];
  const constants = names && sections.find(({ name }) => textAt(names.read(), name) === '.rodata');
  if (!dynamic || !strings) return undefined;
  return {
    needed: neededBy(dynamic.read(), strings.read()),
    versions: versionsIn(constants?.read() ?? NOTHING),
  };
}

/** The start of a file with 64 bits and little-endian numbers. */
const IDENT = [0x7f, 0x45, 0x4c, 0x46, 2, 1];
const MACHINE_X64 = 62;
const SECTION_DYNAMIC = 6;
const TAG_NEEDED = 1;

/** Larger parts are not read. The constants of ONNX Runtime's CUDA library have 26 MB. */
const MAX_PART = 256 * 1024 * 1024;

interface Section {
  /** Position in the table of names. */
  readonly name: number;
  readonly type: number;
  /** Number of another section that belongs to this one. */
  readonly link: number;
  readonly read: () => DataView;
}

const NOTHING = new DataView(new ArrayBuffer(0));

/** Undefined if the file ends before the part does. */
function part(source: ByteSource, offset: number, length: number): DataView | undefined {
  if (!(offset >= 0 && length >= 0 && length <= MAX_PART && offset + length <= source.size)) return undefined;
  const bytes = source.readAt(offset, length);
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function readSections(source: ByteSource, header: DataView): Section[] {
  const [entry, count] = [header.getUint16(58, true), header.getUint16(60, true)];
  const table = entry < 64 ? undefined : part(source, longAt(header, 40), entry * count);
  if (!table) return [];
  return Array.from({ length: count }, (_, index): Section => {
    const at = index * entry;
    return {
      name: table.getUint32(at, true),
      type: table.getUint32(at + 4, true),
      link: table.getUint32(at + 40, true),
      read: () => part(source, longAt(table, at + 24), longAt(table, at + 32)) ?? NOTHING,
    };
  });
}

const longAt = (view: DataView, at: number): number => Number(view.getBigUint64(at, true));

/** A string that ends with a null byte. Empty if it starts beyond the end, as in a damaged file. */
function textAt(view: DataView, at: number): string {
  if (at >= view.byteLength) return '';
  let end = at;
  while (end < view.byteLength && view.getUint8(end) !== 0) end += 1;
  return latin1(view, at, end);
}

const latin1 = (view: DataView, start = 0, end = view.byteLength): string =>
  new TextDecoder('latin1').decode(new Uint8Array(view.buffer, view.byteOffset + start, end - start));

function neededBy(dynamic: DataView, strings: DataView): string[] {
  const needed: string[] = [];
  for (let at = 0; at + 16 <= dynamic.byteLength; at += 16) {
    if (longAt(dynamic, at) === TAG_NEEDED) needed.push(textAt(strings, longAt(dynamic, at + 8)));
  }
  return needed;
}

/** Constants are strings that null bytes separate. */
const versionsIn = (constants: DataView): string[] => [
  ...new Set([...latin1(constants).matchAll(VERSION)].map(([, version = '']) => version)),
];

const VERSION = /\0(\d{1,4}\.\d{1,4}\.\d{1,4})(?=\0)/g;
