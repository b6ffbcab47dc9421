import { elfBytes } from './elf-bytes.ts';
import { DT, readDynamic } from './elf-dynamic.ts';

/** What a program needs from the system in order to start. */
export interface ElfNeeds {
  /** Path of the dynamic loader (PT_INTERP); undefined in libraries. */
  readonly interpreter: string | undefined;
  /** Names of shared libraries (DT_NEEDED). */
  readonly libraries: readonly string[];
  /** Number of the CPU architecture (`e_machine`). */
  readonly machine: number;
}

const PT_INTERP = 3;

const IDENT = [0x7f, 0x45, 0x4c, 0x46, 2, 1];
export const isElf64 = (file: Uint8Array): boolean =>
  file.length >= 64 && IDENT.every((byte, index) => file[index] === byte);

/** Reads which loader and libraries an ELF-64 file needs; undefined if the file is not ELF-64. */
export function readElfNeeds(file: Uint8Array): ElfNeeds | undefined {
  if (!isElf64(file)) return undefined;
  const bytes = elfBytes(file);
  const headers = Array.from({ length: bytes.u16(56) }, (_, index) => bytes.u64(32) + index * bytes.u16(54));
  const interpreter = headers.find((header) => bytes.u32(header) === PT_INTERP);
  const dynamic = readDynamic(file);
  return {
    interpreter: interpreter === undefined ? undefined : bytes.text(bytes.u64(interpreter + 8)),
    libraries: (dynamic?.entries ?? [])
      .filter(({ tag }) => tag === DT.NEEDED)
      .flatMap(({ value }) => dynamic?.string(value) ?? []),
    machine: bytes.u16(18),
  };
}
