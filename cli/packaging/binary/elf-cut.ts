import { configError } from '#contract/errors.ts';
import { type ElfBytes, elfBytes } from './elf-bytes.ts';
import { ELF, readElf } from './elf-layout.ts';
import { greatest } from '#core/numbers/extremes.ts';

const PT_LOAD = 1;
const PT_PHDR = 6;
/**
 * Positions in the file header: of the program header table's offset, its entry size and its number
 * of entries.
 */
const FILE_HEADER = { table: 32, length: 54, count: 56 } as const;
/** Positions of fields in a program header. */
const FIELD = { offset: 8, address: 16, physical: 24, fileSize: 32, memorySize: 40, alignment: 48 } as const;

interface ProgramHeader {
  /** File offset of the header. */
  readonly at: number;
  readonly type: number;
  readonly offset: number;
  readonly end: number;
  readonly address: number;
  readonly alignment: number;
}

/**
 * Removes unreferenced bytes from a loaded segment, so that they take no space in the file or in
 * memory. The segment is split in two, so that the bytes after the removed ones keep their
 * addresses. The program header table gets one more entry, and moves to the start of the removed
 * bytes. Only whole pages are removed.
 */
export function cutElf(file: Uint8Array, from: number, to: number): Uint8Array {
  const bytes = elfBytes(file);
  const length = bytes.u16(FILE_HEADER.length);
  const headers = readHeaders(bytes, length);
  const loads = headers.filter(({ type }) => type === PT_LOAD);
  const page = greatest(loads.map(({ alignment }) => alignment));
  const table = Math.ceil(from / 8) * 8;
  const start = Math.ceil((table + (headers.length + 1) * length) / page) * page;
  const end = Math.floor(to / page) * page;
  if (end <= start) return file;
  const split = loads.find(({ offset, end: stop }) => offset <= from && to <= stop);
  if (!split) return refuse('no segment contains it');
  if (headers.some((one) => one !== split && one.offset < end && one.end > from))
    refuse('it spans several segments');
  // Linux before 5.18 computes the address of the program header table from the address offset of
  // the first segment.
  const [first] = loads;
  if (!first || split.address - split.offset !== first.address - first.offset)
    refuse('its segment has a different address offset than the first one');

  const removed = end - start;
  const moved = (offset: number): number => (offset >= end ? offset - removed : offset);
  const output = new Uint8Array(file.length - removed);
  output.set(file.subarray(0, start));
  output.set(file.subarray(end), start);
  const cut = elfBytes(output);
  const written = headers.flatMap((header) => {
    const copy = file.slice(header.at, header.at + length);
    const fields = elfBytes(copy);
    if (header === split)
      return [shorten(copy, start - split.offset), behind(copy, end - split.offset, start)];
    fields.setU64(FIELD.offset, moved(header.offset));
    if (header.type === PT_PHDR) describeTable(fields, table, split, (headers.length + 1) * length);
    return [copy];
  });
  written.forEach((header, index) => output.set(header, table + index * length));
  cut.setU64(FILE_HEADER.table, table);
  cut.setU16(FILE_HEADER.count, written.length);

  const sectionTable = moved(bytes.u64(ELF.e_shoff));
  cut.setU64(ELF.e_shoff, sectionTable);
  for (const { index, offset, size, type } of readElf(file).sections) {
    const at = sectionTable + index * ELF.sectionHeaderLength;
    if (offset >= end) cut.setU64(at + 24, moved(offset));
    else if (type !== ELF.SHT_NOBITS && offset + size > start) cut.setU64(at + 32, start - offset);
  }
  return output;
}

function readHeaders(bytes: ElfBytes, length: number): ProgramHeader[] {
  return Array.from({ length: bytes.u16(FILE_HEADER.count) }, (_, index) => {
    const at = bytes.u64(FILE_HEADER.table) + index * length;
    const offset = bytes.u64(at + FIELD.offset);
    return {
      at,
      type: bytes.u32(at),
      offset,
      end: offset + bytes.u64(at + FIELD.fileSize),
      address: bytes.u64(at + FIELD.address),
      alignment: bytes.u64(at + FIELD.alignment),
    };
  });
}

/** The part of a segment before the removed bytes. */
function shorten(header: Uint8Array, length: number): Uint8Array {
  const part = new Uint8Array(header);
  for (const field of [FIELD.fileSize, FIELD.memorySize]) elfBytes(part).setU64(field, length);
  return part;
}

/**
 * The part of a segment after the removed bytes. `skipped` is its distance from the old start of
 * the segment.
 */
function behind(header: Uint8Array, skipped: number, offset: number): Uint8Array {
  const part = new Uint8Array(header);
  const fields = elfBytes(part);
  fields.setU64(FIELD.offset, offset);
  for (const field of [FIELD.address, FIELD.physical]) fields.setU64(field, fields.u64(field) + skipped);
  for (const field of [FIELD.fileSize, FIELD.memorySize]) fields.setU64(field, fields.u64(field) - skipped);
  return part;
}

function describeTable(
  header: ElfBytes,
  table: number,
  { address, offset }: ProgramHeader,
  size: number,
): void {
  header.setU64(FIELD.offset, table);
  for (const field of [FIELD.address, FIELD.physical]) header.setU64(field, table - offset + address);
  for (const field of [FIELD.fileSize, FIELD.memorySize]) header.setU64(field, size);
}

function refuse(why: string): never {
  throw configError(
    `Cannot remove unused ICU data from the Node binary: ${why}. Use the Node binary that encoderfile is pinned to.`,
  );
}
