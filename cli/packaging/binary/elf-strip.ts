import { ELF, type ElfSection, readElf } from './elf-layout.ts';

/**
 * Removes the symbol table and the debug information of a 64-bit little-endian ELF executable, as
 * `strip` does. Loaded bytes do not change or move, and `.dynsym` and `.dynstr` remain, so addons
 * still find their symbols. Bytes after the last section (an appended payload) are removed too.
 * Returns the input if there is no `.symtab`.
 */
export function stripElf(file: Uint8Array): Uint8Array {
  const elf = readElf(file);
  if (!elf.sections.some((section) => section.type === ELF.SHT_SYMTAB)) return file;

  const removed = removedSections(elf.sections, elf.namesIndex);
  const kept = elf.sections.filter((section) => !removed.has(section));
  const placed = place(kept, elf.loadedEnd);
  const output = new Uint8Array(placed.tableOffset + kept.length * ELF.sectionHeaderLength);
  output.set(file.subarray(0, elf.loadedEnd));
  for (const { section, offset } of placed.moved) {
    output.set(file.subarray(section.offset, section.offset + section.size), offset);
  }

  const newIndex = new Map(kept.map((section, index) => [section.index, index]));
  const view = new DataView(output.buffer);
  kept.forEach((section, index) => {
    const at = placed.tableOffset + index * ELF.sectionHeaderLength;
    output.set(section.header, at);
    const moved = placed.moved.find((one) => one.section === section);
    if (moved) view.setBigUint64(at + 24, BigInt(moved.offset), true);
    view.setUint32(at + 40, newIndex.get(section.link) ?? 0, true);
    if (infoIsSection(section)) view.setUint32(at + 44, newIndex.get(section.info) ?? 0, true);
  });
  for (const section of kept) {
    if (section.allocated && section.type === ELF.SHT_DYNSYM) renumberSymbols(view, section, newIndex);
  }

  view.setBigUint64(ELF.e_shoff, BigInt(placed.tableOffset), true);
  view.setUint16(ELF.e_shnum, kept.length, true);
  view.setUint16(ELF.e_shstrndx, newIndex.get(elf.namesIndex) ?? 0, true);
  return output;
}

/** The symbol table, its strings, sections that depend on it, and debug information. Never a loaded section. */
function removedSections(sections: readonly ElfSection[], namesIndex: number): Set<ElfSection> {
  const symbols = sections.filter((section) => !section.allocated && section.type === ELF.SHT_SYMTAB);
  const symbolIndexes = new Set(symbols.map((section) => section.index));
  const stringIndexes = new Set(symbols.map((section) => section.link));
  return new Set(
    sections.filter((section) => {
      if (section.allocated || section.type === ELF.SHT_NULL) return false;
      if (symbolIndexes.has(section.index) || /^\.z?debug_|^\.gdb_index$/.test(section.name)) return true;
      // Keeps the section names, because symbols and sections can share one string table.
      if (stringIndexes.has(section.index)) return section.index !== namesIndex;
      return symbolIndexes.has(section.link);
    }),
  );
}

/**
 * Moves the sections that remain after the loaded part, so that there are no gaps between them. The
 * section header table comes last.
 */
function place(kept: readonly ElfSection[], loadedEnd: number) {
  const moved: { section: ElfSection; offset: number }[] = [];
  let end = loadedEnd;
  for (const section of [...kept].sort((a, b) => a.offset - b.offset)) {
    if (section.type === ELF.SHT_NOBITS || section.offset + section.size <= loadedEnd) continue;
    const offset = alignUp(end, section.alignment);
    moved.push({ section, offset });
    end = offset + section.size;
  }
  return { moved, tableOffset: alignUp(end, 8) };
}

/**
 * Only in these sections is sh_info a section index; in others it is a count (gABI, "sh_link and
 * sh_info Interpretation").
 */
function infoIsSection(section: ElfSection): boolean {
  return section.infoLink || section.type === ELF.SHT_REL || section.type === ELF.SHT_RELA;
}

/**
 * Updates the section index (`st_shndx`) of dynamic symbols. The loader only checks whether it is
 * 0, but debuggers need the correct index.
 */
function renumberSymbols(view: DataView, section: ElfSection, newIndex: ReadonlyMap<number, number>): void {
  const symbolLength = 24;
  for (let at = section.offset; at + symbolLength <= section.offset + section.size; at += symbolLength) {
    const index = view.getUint16(at + 6, true);
    const renumbered = index < ELF.SHN_LORESERVE ? newIndex.get(index) : undefined;
    if (renumbered !== undefined) view.setUint16(at + 6, renumbered, true);
  }
}

function alignUp(value: number, alignment: number): number {
  return Math.ceil(value / alignment) * alignment;
}
