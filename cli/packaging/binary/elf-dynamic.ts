import { configError } from '#contract/errors.ts';
import { type ElfBytes, elfBytes } from './elf-bytes.ts';

/** Tags of the dynamic section (gABI, "Dynamic Section", and GNU's symbol versions). */
export const DT = {
  NULL: 0,
  NEEDED: 1,
  STRTAB: 5,
  SYMTAB: 6,
  /** Folders that are searched before those in LD_LIBRARY_PATH. */
  RPATH: 15,
  /** Folders that are searched after those in LD_LIBRARY_PATH. */
  RUNPATH: 29,
  VERSYM: 0x6ffffff0,
  VERNEED: 0x6ffffffe,
  VERNEEDNUM: 0x6fffffff,
} as const;

export const DYNAMIC_ENTRY_LENGTH = 16;

export interface ElfSegment {
  /** File offset of the program header. */
  readonly header: number;
  readonly executable: boolean;
  readonly offset: number;
  readonly address: number;
  readonly fileSize: number;
  readonly memorySize: number;
}

/** An entry of the dynamic section. `at` is its file offset. */
export interface DynamicEntry {
  readonly at: number;
  readonly tag: number;
  readonly value: number;
}

/** The symbol versions that a file requires from one library (Elf64_Verneed). */
export interface VersionNeed {
  readonly at: number;
  readonly library: string;
  /** Distance to the next entry; 0 in the last entry. */
  readonly next: number;
  readonly versions: ReadonlySet<number>;
}

export interface ElfDynamic {
  readonly bytes: ElfBytes;
  /** Loaded segments (PT_LOAD). */
  readonly segments: readonly ElfSegment[];
  readonly entries: readonly DynamicEntry[];
  /** Returns the entry with this tag; throws if there is none. */
  readonly entry: (tag: number) => DynamicEntry;
  /** Returns the file offset of the data that an entry refers to. */
  readonly offsetOf: (tag: number) => number;
  /** Returns the string at a position of the dynamic string table. */
  readonly string: (position: number) => string;
}

/**
 * Reads the parts of an ELF-64 file that the dynamic loader uses: segments and the dynamic section.
 * Undefined for a static program.
 */
export function readDynamic(file: Uint8Array): ElfDynamic | undefined {
  const bytes = elfBytes(file);
  const headers = Array.from({ length: bytes.u16(56) }, (_, index) => bytes.u64(32) + index * bytes.u16(54));
  const PT_LOAD = 1;
  const PT_DYNAMIC = 2;
  const dynamic = headers.find((header) => bytes.u32(header) === PT_DYNAMIC);
  if (dynamic === undefined) return undefined;
  const segments = headers
    .filter((header) => bytes.u32(header) === PT_LOAD)
    .map((header): ElfSegment => ({
      header,
      executable: (bytes.u32(header + 4) & 1) !== 0,
      offset: bytes.u64(header + 8),
      address: bytes.u64(header + 16),
      fileSize: bytes.u64(header + 32),
      memorySize: bytes.u64(header + 40),
    }));
  const entries = readEntries(bytes, bytes.u64(dynamic + 8), bytes.u64(dynamic + 32));
  const entry = (tag: number): DynamicEntry =>
    entries.find((one) => one.tag === tag) ?? damaged(`its dynamic section has no tag ${tag}`);
  const offsetOf = (tag: number): number => fileOffset(segments, entry(tag).value);
  return {
    bytes,
    segments,
    entries,
    entry,
    offsetOf,
    string: (position) => bytes.text(offsetOf(DT.STRTAB) + position),
  };
}

function readEntries(bytes: ElfBytes, start: number, length: number): DynamicEntry[] {
  const entries: DynamicEntry[] = [];
  for (let at = start; at + DYNAMIC_ENTRY_LENGTH <= start + length; at += DYNAMIC_ENTRY_LENGTH) {
    const entry = { at, tag: bytes.u64(at), value: bytes.u64(at + 8) };
    if (entry.tag === DT.NULL) return entries;
    entries.push(entry);
  }
  return damaged('its dynamic section is not terminated');
}

function fileOffset(segments: readonly ElfSegment[], address: number): number {
  const segment = segments.find((one) => address >= one.address && address < one.address + one.fileSize);
  return segment
    ? address - segment.address + segment.offset
    : damaged(`no segment contains address ${address}`);
}

/** Reads the required symbol versions of all libraries, in file order. */
export function readVersionNeeds({ bytes, entry, offsetOf, string }: ElfDynamic): VersionNeed[] {
  const needs: VersionNeed[] = [];
  let at = offsetOf(DT.VERNEED);
  for (let left = entry(DT.VERNEEDNUM).value; left > 0; left--) {
    const next = bytes.u32(at + 12);
    const library = string(bytes.u32(at + 4));
    needs.push({ at, library, next, versions: readVersions(bytes, at) });
    if (next === 0) break;
    at += next;
  }
  return needs;
}

function readVersions(bytes: ElfBytes, need: number): Set<number> {
  const versions = new Set<number>();
  let at = need + bytes.u32(need + 8);
  for (let left = bytes.u16(need + 2); left > 0; left--) {
    versions.add(bytes.u16(at + 6));
    at += bytes.u32(at + 12);
  }
  return versions;
}

function damaged(why: string): never {
  throw configError(`The ELF file is damaged: ${why}. Download the Node binary again.`);
}
