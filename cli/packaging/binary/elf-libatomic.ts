import { configError } from '#contract/errors.ts';
import { type ElfBytes, elfBytes } from './elf-bytes.ts';
import {
  DT,
  DYNAMIC_ENTRY_LENGTH,
  type DynamicEntry,
  type ElfDynamic,
  type ElfSegment,
  readDynamic,
  readVersionNeeds,
  type VersionNeed,
} from './elf-dynamic.ts';
import { ELF, type ElfSection, readElf } from './elf-layout.ts';

/** Version of this edit. Increase it with every change, so that base runtimes in the cache are rebuilt. */
export const LIBATOMIC_EDIT = 1;

const LIBRARY = 'libatomic.so.1';
const SYMBOL = '__atomic_compare_exchange';
const SYMBOL_LENGTH = 24;
const SHT_GNU_VERNEED = 0x6ffffffe;

/**
 * Removes a Node binary's dependency on libatomic, which minimal systems lack: the only function
 * that Node imports from libatomic is added to Node's own code (docs/decisions/0051). All loaded
 * bytes keep their addresses. Returns the input if it does not need libatomic, and rejects a file
 * that imports any other function from libatomic.
 */
export function removeLibatomic(input: Uint8Array): Uint8Array {
  const { sections } = readElf(input);
  const dynamic = readDynamic(input);
  const needed = dynamic?.entries.find(
    ({ tag, value }) => tag === DT.NEEDED && dynamic.string(value) === LIBRARY,
  );
  if (!dynamic || !needed) return input;
  const needs = readVersionNeeds(dynamic);
  const index = needs.findIndex(({ library }) => library === LIBRARY);
  const versions = needs[index]?.versions ?? refuse('it does not require a version of that library');
  const symbol = findSymbol(dynamic, sections, versions);
  const machine = dynamic.bytes.u16(ELF.e_machine);
  const code = compareExchangeCode(machine) ?? refuse(`its machine number is ${machine}`);

  // Not slice(), which returns a view of the same bytes if the input is a Buffer.
  const file = new Uint8Array(input);
  const edit: Edit = { file, bytes: elfBytes(file), dynamic, sections };
  defineSymbol(edit, symbol, { address: appendCode(edit, code), length: code.length });
  removeVersionNeed(edit, needs, index);
  removeEntry(edit, needed);
  return file;
}

/** `dynamic` and `sections` describe the file before the edit. */
interface Edit {
  readonly file: Uint8Array;
  readonly bytes: ElfBytes;
  readonly dynamic: ElfDynamic;
  readonly sections: readonly ElfSection[];
}

/** Returns the index of the only dynamic symbol versioned by this library. */
function findSymbol(
  { bytes, offsetOf, string }: ElfDynamic,
  sections: readonly ElfSection[],
  versions: ReadonlySet<number>,
): number {
  const HIDDEN_VERSION = 0x8000;
  const table = sections.find(({ type }) => type === ELF.SHT_DYNSYM) ?? refuse('it has no .dynsym section');
  const [symbols, versionTable] = [offsetOf(DT.SYMTAB), offsetOf(DT.VERSYM)];
  const imported: number[] = [];
  for (let index = 0; index < table.size / SYMBOL_LENGTH; index++) {
    if (versions.has(bytes.u16(versionTable + 2 * index) & ~HIDDEN_VERSION)) imported.push(index);
  }
  const names = imported.map((index) => string(bytes.u32(symbols + SYMBOL_LENGTH * index)));
  const [symbol] = imported;
  if (symbol !== undefined && names.join() === SYMBOL) return symbol;
  return refuse(
    `it imports ${names.length === 0 ? 'nothing' : names.join(', ')} from it, not only ${SYMBOL}`,
  );
}

/**
 * Writes the function into the unused end of the last code page, so that nothing moves. Returns its
 * address.
 */
function appendCode({ file, bytes, dynamic: { segments } }: Edit, code: Uint8Array): number {
  const ALIGNMENT = 16;
  const segment = segments.find(({ executable }) => executable) ?? refuse('it has no code');
  const codeEnd = segment.offset + segment.fileSize;
  const start = Math.ceil(codeEnd / ALIGNMENT) * ALIGNMENT;
  const end = start + code.length;
  const isFree = file.subarray(codeEnd, end).every((byte) => byte === 0);
  if (!isFree || !hasRoom(file, segments, segment, end)) refuse('there is no free space after its code');
  file.set(code, start);
  for (const field of [32, 40]) bytes.setU64(segment.header + field, end - segment.offset);
  return start - segment.offset + segment.address;
}

/**
 * Whether a segment can be extended to `end`: it must not have zero-filled memory (.bss), and must
 * not reach another segment.
 */
function hasRoom(
  file: Uint8Array,
  segments: readonly ElfSegment[],
  segment: ElfSegment,
  end: number,
): boolean {
  const endAddress = end - segment.offset + segment.address;
  return (
    end <= file.length &&
    segment.fileSize === segment.memorySize &&
    segments.every(
      ({ offset, address }) =>
        (offset <= segment.offset || offset >= end) && (address <= segment.address || address >= endAddress),
    )
  );
}

/**
 * Defines the symbol in this file. It is hidden, so the loader resolves it here and does not search
 * libraries.
 */
function defineSymbol(
  { bytes, dynamic: { offsetOf }, sections }: Edit,
  symbol: number,
  { address, length }: { address: number; length: number },
): void {
  const STV_HIDDEN = 2;
  const text = sections.find(({ name }) => name === '.text') ?? refuse('it has no .text section');
  const at = offsetOf(DT.SYMTAB) + SYMBOL_LENGTH * symbol;
  bytes.setU8(at + 5, STV_HIDDEN);
  bytes.setU16(at + 6, text.index);
  bytes.setU64(at + 8, address);
  bytes.setU64(at + 16, length);
  bytes.setU16(offsetOf(DT.VERSYM) + 2 * symbol, 0);
}

/**
 * Removes the library from the list of required symbol versions, as described by the dynamic
 * section and by the section header, which tools read.
 */
function removeVersionNeed(
  { bytes, dynamic: { entry }, sections }: Edit,
  needs: readonly VersionNeed[],
  index: number,
): void {
  const previous = needs[index - 1];
  const next = needs[index]?.next ?? 0;
  if (!previous && next === 0) refuse('it does not require a version of any other library');
  const section = sections.find(({ type }) => type === SHT_GNU_VERNEED);
  const header = section && bytes.u64(ELF.e_shoff) + section.index * ELF.sectionHeaderLength;
  bytes.setU64(entry(DT.VERNEEDNUM).at + 8, needs.length - 1);
  if (header !== undefined) bytes.setU32(header + 44, needs.length - 1);
  if (previous) {
    bytes.setU32(previous.at + 12, next === 0 ? 0 : previous.next + next);
    return;
  }
  const start = entry(DT.VERNEED);
  bytes.setU64(start.at + 8, start.value + next);
  if (section === undefined || header === undefined) return;
  // Address, file offset and size.
  for (const [field, change] of [
    [16, next],
    [24, next],
    [32, -next],
  ] as const)
    bytes.setU64(header + field, bytes.u64(header + field) + change);
}

/**
 * Removes an entry by moving up all entries after it, including the null entry that ends the
 * dynamic section.
 */
function removeEntry({ file, dynamic }: Edit, removed: DynamicEntry): void {
  const end = (dynamic.entries.at(-1)?.at ?? removed.at) + 2 * DYNAMIC_ENTRY_LENGTH;
  file.copyWithin(removed.at, removed.at + DYNAMIC_ENTRY_LENGTH, end);
}

function refuse(why: string): never {
  throw configError(
    `Cannot remove ${LIBRARY} from the Node binary: ${why}. Use the Node binary that encoderfile is pinned to.`,
  );
}

/**
 * Machine code of `__atomic_compare_exchange(size, pointer, expected, desired, success order,
 * failure order)` for 8 bytes, by ELF machine number: if `*pointer` is `*expected`, it becomes
 * `*desired` and the result is 1; otherwise `*expected` becomes `*pointer` and the result is 0. The
 * memory order arguments are ignored, and the strictest order is used. V8 only calls this function
 * with size 8; for any other size, and for a misaligned pointer on arm64, the code terminates the
 * process instead of returning a wrong result.
 */
const CODE: Readonly<Record<number, readonly Instruction[]>> = {
  // EM_X86_64
  62: [
    ['4883ff08', 'cmp rdi, 8'],
    ['7519', 'jne unsupported'],
    ['488b02', 'mov rax, [rdx]'],
    ['488b09', 'mov rcx, [rcx]'],
    ['f0480fb10e', 'lock cmpxchg [rsi], rcx'],
    ['7506', 'jne different'],
    ['b801000000', 'mov eax, 1'],
    ['c3', 'ret'],
    ['488902', 'different: mov [rdx], rax'],
    ['31c0', 'xor eax, eax'],
    ['c3', 'ret'],
    ['0f0b', 'unsupported: ud2'],
  ],
  // EM_AARCH64
  183: [
    ['1f2000f1', 'cmp x0, #8'],
    ['01020054', 'b.ne unsupported'],
    ['3f0840f2', 'tst x1, #7'],
    ['c1010054', 'b.ne unsupported'],
    ['440040f9', 'ldr x4, [x2]'],
    ['630040f9', 'ldr x3, [x3]'],
    ['25fc5fc8', 'retry: ldaxr x5, [x1]'],
    ['bf0004eb', 'cmp x5, x4'],
    ['a1000054', 'b.ne different'],
    ['23fc06c8', 'stlxr w6, x3, [x1]'],
    ['86ffff35', 'cbnz w6, retry'],
    ['20008052', 'mov w0, #1'],
    ['c0035fd6', 'ret'],
    ['5f3f03d5', 'different: clrex'],
    ['450000f9', 'str x5, [x2]'],
    ['00008052', 'mov w0, #0'],
    ['c0035fd6', 'ret'],
    ['000020d4', 'unsupported: brk #0'],
  ],
};

/** The bytes of an instruction in hexadecimal, in file order, and its assembly code. */
type Instruction = readonly [bytes: string, assembly: string];

function compareExchangeCode(machine: number): Uint8Array | undefined {
  const code = CODE[machine];
  return code && Uint8Array.fromHex(code.map(([bytes]) => bytes).join(''));
}
