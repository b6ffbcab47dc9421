import { configError } from '#contract/errors.ts';

/** Names and offsets of the ELF-64 format (System V gABI, "ELF Header", "Sections", "Program Header"). */
export const ELF = {
  e_machine: 18,
  e_shoff: 40,
  e_shnum: 60,
  e_shstrndx: 62,
  sectionHeaderLength: 64,
  SHT_NULL: 0,
  SHT_SYMTAB: 2,
  SHT_RELA: 4,
  SHT_NOTE: 7,
  SHT_NOBITS: 8,
  SHT_REL: 9,
  SHT_DYNSYM: 11,
  SHN_LORESERVE: 0xff00,
} as const;

export interface ElfSection {
  readonly index: number;
  readonly name: string;
  readonly type: number;
  /** Whether the section is loaded into memory (SHF_ALLOC). */
  readonly allocated: boolean;
  /** Whether the `info` field contains a section index (SHF_INFO_LINK). */
  readonly infoLink: boolean;
  readonly offset: number;
  readonly size: number;
  readonly link: number;
  readonly info: number;
  readonly alignment: number;
  /** The section header as stored in the file. */
  readonly header: Uint8Array;
}

interface ElfLayout {
  readonly sections: readonly ElfSection[];
  /** Index of the section that contains the section names. */
  readonly namesIndex: number;
  /** File offset of the end of the bytes that headers, segments and loaded sections use. */
  readonly loadedEnd: number;
}

/** Reads the sections of a 64-bit little-endian ELF executable, and the end of its loaded part. */
export function readElf(file: Uint8Array): ElfLayout {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  requireExecutable(view);
  const tableOffset = offsetAt(view, ELF.e_shoff);
  const count = view.getUint16(ELF.e_shnum, true);
  const namesIndex = view.getUint16(ELF.e_shstrndx, true);
  requireInside(file, tableOffset, count * ELF.sectionHeaderLength, 'section header table');
  // If there is a section header table, 0 or SHN_XINDEX means that section 0 contains the real
  // value, because the file has more than 65,279 sections. Node binaries have far fewer.
  if ((count === 0 && tableOffset !== 0) || (count > 0 && namesIndex >= count)) {
    throw configError(
      `The ELF file has an invalid section table (${count} sections, names in ${namesIndex}). Use an unmodified Node binary.`,
    );
  }

  const namesAt = count > 0 ? offsetAt(view, tableOffset + namesIndex * ELF.sectionHeaderLength + 24) : 0;
  const sections = Array.from({ length: count }, (_, index): ElfSection => {
    const at = tableOffset + index * ELF.sectionHeaderLength;
    const flags = view.getUint32(at + 8, true);
    const section = {
      index,
      name: nameAt(file, namesAt + view.getUint32(at, true)),
      type: view.getUint32(at + 4, true),
      allocated: (flags & 0x2) !== 0,
      infoLink: (flags & 0x40) !== 0,
      offset: offsetAt(view, at + 24),
      size: offsetAt(view, at + 32),
      link: view.getUint32(at + 40, true),
      info: view.getUint32(at + 44, true),
      alignment: Math.max(1, offsetAt(view, at + 48)),
      header: file.subarray(at, at + ELF.sectionHeaderLength),
    };
    if (occupiesFile(section)) requireInside(file, section.offset, section.size, `section ${section.name}`);
    return section;
  });
  return { sections, namesIndex, loadedEnd: loadedEnd(file, view, sections) };
}

function loadedEnd(file: Uint8Array, view: DataView, sections: readonly ElfSection[]): number {
  const programHeaders = offsetAt(view, 32);
  const headerLength = view.getUint16(54, true);
  const count = view.getUint16(56, true);
  requireInside(file, programHeaders, count * headerLength, 'program header table');
  let end = Math.max(view.getUint16(52, true), programHeaders + count * headerLength);
  for (let index = 0; index < count; index++) {
    const at = programHeaders + index * headerLength;
    const offset = offsetAt(view, at + 8);
    const size = offsetAt(view, at + 32);
    requireInside(file, offset, size, `segment ${index}`);
    if (size > 0) end = Math.max(end, offset + size);
  }
  for (const section of sections) {
    if (section.allocated && occupiesFile(section)) end = Math.max(end, section.offset + section.size);
  }
  return end;
}

function requireExecutable(view: DataView): void {
  const MAGIC = 0x7f454c46;
  if (view.byteLength < 64 || view.getUint32(0, false) !== MAGIC) {
    throw configError(
      `Not an ELF executable (${view.byteLength} bytes): only ELF executables can be stripped. Use a Linux Node binary.`,
    );
  }
  const bits64 = view.getUint8(4) === 2;
  const littleEndian = view.getUint8(5) === 1;
  // Accepts only ET_EXEC and ET_DYN, because an object file (ET_REL) needs its symbol table for linking.
  const type = view.getUint16(16, true);
  const standardHeaders =
    view.getUint16(58, true) === ELF.sectionHeaderLength || view.getUint16(ELF.e_shnum, true) === 0;
  if (
    !bits64 ||
    !littleEndian ||
    (type !== 2 && type !== 3) ||
    !standardHeaders ||
    view.getUint16(54, true) < 56
  ) {
    throw configError(
      `Unsupported ELF file: class ${view.getUint8(4)}, data ${view.getUint8(5)}, type ${type}; only 64-bit little-endian executables can be stripped. Use a Linux x64 or arm64 Node binary.`,
    );
  }
}

function requireInside(file: Uint8Array, offset: number, size: number, what: string): void {
  if (offset + size <= file.length) return;
  throw configError(
    `The ELF file is truncated: its ${what} ends at ${offset + size}, but the file ends at ${file.length}. Download the Node binary again.`,
  );
}

const occupiesFile = (section: { type: number }): boolean =>
  section.type !== ELF.SHT_NULL && section.type !== ELF.SHT_NOBITS;

function offsetAt(view: DataView, at: number): number {
  return Number(view.getBigUint64(at, true));
}

function nameAt(file: Uint8Array, at: number): string {
  const end = file.indexOf(0, at);
  return new TextDecoder().decode(file.subarray(at, end < 0 ? at : end));
}
