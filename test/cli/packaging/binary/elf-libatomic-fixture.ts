/** The imports of a small program from libatomic, and its possible defects. The defaults are those of a Node binary. */
export interface SmallProgram {
  readonly machine?: number;
  readonly libraries?: readonly string[];
  /** Imported symbols, with the library of each symbol version. */
  readonly symbols?: readonly (readonly [name: string, library: string])[];
  /** Libraries with required versions, in file order. */
  readonly versioned?: readonly string[];
  /** Machine code. */
  readonly codeLength?: number;
}

export const LIBATOMIC = 'libatomic.so.1';
const PAGE = 4096;

/** File offsets of the tables, and the address of file offset 0. */
export const SMALL = {
  base: 0x40_0000,
  symbols: 0x200,
  versions: 0x300,
  needs: 0x340,
  strings: 0x400,
  code: PAGE,
  dynamic: 2 * PAGE,
  /** Offset of a program header. */
  header: (index: number): number => 64 + index * 56,
} as const;

/**
 * A 64-bit ELF program as small as the edit permits: a segment with the tables, one with code, one with the dynamic section. It
 * is never run; the real Node binaries are.
 */
export function smallProgram({
  machine = 62,
  libraries = [LIBATOMIC, 'libc.so.6'],
  symbols = [
    ['malloc', 'libc.so.6'],
    ['__atomic_compare_exchange', LIBATOMIC],
  ],
  versioned = libraries,
  codeLength = 100,
}: SmallProgram = {}): Uint8Array {
  const file = new Uint8Array(3 * PAGE);
  const view = new DataView(file.buffer);
  const numbers = (at: number, width: 2 | 4 | 8, ...values: number[]): void =>
    values.forEach((value, index) => {
      const offset = at + index * width;
      if (width === 2) view.setUint16(offset, value, true);
      else if (width === 4) view.setUint32(offset, value, true);
      else view.setBigUint64(offset, BigInt(value), true);
    });

  const strings = ['\0'];
  const string = (text: string): number => {
    const position = strings.join('').length;
    strings.push(`${text}\0`);
    return position;
  };

  file.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  numbers(16, 2, 2, machine);
  numbers(32, 8, 64, 2 * PAGE + 1024);
  numbers(52, 2, 64, 56, 4, 64, 5, 4);

  const segment = (index: number, type: number, flags: number, offset: number, length: number): void => {
    numbers(SMALL.header(index), 4, type, flags);
    numbers(
      SMALL.header(index) + 8,
      8,
      offset,
      offset + SMALL.base,
      offset + SMALL.base,
      length,
      length,
      PAGE,
    );
  };
  segment(0, 1, 4, 0, PAGE);
  segment(1, 1, 5, SMALL.code, codeLength);
  segment(2, 1, 6, SMALL.dynamic, 512);
  segment(3, 2, 6, SMALL.dynamic, 512);
  file.fill(0x90, SMALL.code, SMALL.code + codeLength);

  // Version 2 and up: 0 and 1 mean local and global.
  versioned.forEach((library, index) => {
    const at = SMALL.needs + index * 32;
    numbers(at, 2, 1, 1);
    numbers(at + 4, 4, string(library), 16, index === versioned.length - 1 ? 0 : 32);
    numbers(at + 16 + 6, 2, index + 2);
    numbers(at + 16 + 8, 4, string(`${library}_1.0`), 0);
  });
  symbols.forEach(([name, library], index) => {
    const at = SMALL.symbols + (index + 1) * 24;
    numbers(at, 4, string(name));
    file[at + 4] = 0x12;
    numbers(SMALL.versions + (index + 1) * 2, 2, versioned.indexOf(library) + 2);
  });
  const entries = [
    ...libraries.map((library) => [1, string(library)]),
    [5, SMALL.strings + SMALL.base],
    [6, SMALL.symbols + SMALL.base],
    [0x6ffffff0, SMALL.versions + SMALL.base],
    [0x6ffffffe, SMALL.needs + SMALL.base],
    [0x6fffffff, versioned.length],
  ];
  numbers(SMALL.dynamic, 8, ...entries.flat(), 0, 0);

  const sections: [name: string, type: number, offset: number, length: number, info: number][] = [
    ['', 0, 0, 0, 0],
    ['.dynsym', 11, SMALL.symbols, (symbols.length + 1) * 24, 1],
    ['.gnu.version_r', 0x6ffffffe, SMALL.needs, versioned.length * 32, versioned.length],
    ['.text', 1, SMALL.code, codeLength, 0],
    ['.shstrtab', 3, SMALL.strings, 512, 0],
  ];
  sections.forEach(([name, type, offset, length, info], index) => {
    const at = 2 * PAGE + 1024 + index * 64;
    numbers(at, 4, string(name), type, 2);
    numbers(at + 16, 8, offset + SMALL.base, offset, length);
    numbers(at + 40, 4, 0, info);
  });
  file.set(new TextEncoder().encode(strings.join('')), SMALL.strings);
  return file;
}
