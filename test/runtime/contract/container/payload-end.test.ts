import { describe, expect, it } from 'vitest';
import { payloadEnd } from '#contract/container/payload-end.ts';

const FILE_SIZE = 9_000_000;

describe('payloadEnd', () => {
  it('is the end of the file for ELF and unknown formats', () => {
    const elf = Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, ...Array.from({ length: 57 }, () => 0));
    expect(payloadEnd(elf, FILE_SIZE)).toBe(FILE_SIZE);
    expect(payloadEnd(new Uint8Array(), 0)).toBe(0);
    expect(payloadEnd(new TextEncoder().encode('#!/bin/sh\nexit 0\n'), FILE_SIZE)).toBe(FILE_SIZE);
    expect(payloadEnd(new Uint8Array(65_536), FILE_SIZE)).toBe(FILE_SIZE);
  });

  it('is where the code signature starts in a Mach-O file', () => {
    expect(payloadEnd(macho([LC_UUID, codeSignature(8_000_000)]), FILE_SIZE)).toBe(8_000_000);
    expect(payloadEnd(macho([codeSignature(3_999_999_984)]), 4_000_000_000)).toBe(3_999_999_984);
  });

  it('is the end of the file for an unsigned Mach-O file', () => {
    expect(payloadEnd(macho([LC_UUID, LC_UUID]), FILE_SIZE)).toBe(FILE_SIZE);
  });

  it('ignores a signature offset beyond the end of the file, and a truncated load command', () => {
    expect(payloadEnd(macho([codeSignature(FILE_SIZE + 16)]), FILE_SIZE)).toBe(FILE_SIZE);
    const whole = macho([LC_UUID, codeSignature(8_000_000)]);
    for (let length = 0; length < whole.length; length++) {
      expect(payloadEnd(whole.subarray(0, length), FILE_SIZE)).toBe(FILE_SIZE);
    }
  });

  it('stops at a load command of length 0', () => {
    const head = macho([LC_UUID, codeSignature(8_000_000)]);
    new DataView(head.buffer).setUint32(36, 0, true);
    expect(payloadEnd(head, FILE_SIZE)).toBe(FILE_SIZE);
  });

  it('is the start of the certificates in a PE32+ file', () => {
    expect(payloadEnd(pe(FILE_SIZE - 1024, 1024), FILE_SIZE)).toBe(FILE_SIZE - 1024);
    expect(payloadEnd(pe(FILE_SIZE - 1024, 1018), FILE_SIZE)).toBe(FILE_SIZE - 1024);
  });

  it('is the end of a PE file without a signature, or with a stale directory entry', () => {
    expect(payloadEnd(pe(0, 0), FILE_SIZE)).toBe(FILE_SIZE);
    expect(payloadEnd(pe(0, 0), 4)).toBe(4);
    expect(payloadEnd(pe(5_000_000, 1024), FILE_SIZE)).toBe(FILE_SIZE);
    expect(payloadEnd(pe(FILE_SIZE, 1024), FILE_SIZE)).toBe(FILE_SIZE);
    expect(payloadEnd(pe(FILE_SIZE - 1024, 1024, { directories: 4 }), FILE_SIZE)).toBe(FILE_SIZE);
    expect(payloadEnd(pe(FILE_SIZE - 1024, 1024, { magic: 0x10b }), FILE_SIZE)).toBe(FILE_SIZE);
  });

  it('reads a header that is a view into a larger buffer', () => {
    const head = macho([codeSignature(8_000_000)]);
    const larger = new Uint8Array(head.length + 7);
    larger.set(head, 7);
    expect(payloadEnd(larger.subarray(7), FILE_SIZE)).toBe(8_000_000);
  });

  it('never throws, regardless of the header', () => {
    const random = generator(20_261_121);
    const seeds = [macho([LC_UUID, codeSignature(8_000_000)]), pe(FILE_SIZE - 1024, 1024)];
    let checked = 0;
    for (let round = 0; round < 20_000; round++) {
      const seed = seeds[round % 2] ?? new Uint8Array();
      const head = seed.slice(0, random(seed.length + 1));
      for (let changes = random(8); changes > 0 && head.length > 0; changes--) {
        head[random(head.length)] = [0, 0xff, 0x80, random(256)][random(4)] ?? 0;
      }
      const end = payloadEnd(head, FILE_SIZE);
      expect(Number.isInteger(end) && end > 0 && end <= FILE_SIZE).toBe(true);
      checked++;
    }
    expect(checked).toBe(20_000);
  });
});

const LC_UUID = [0x1b, 24, 0, 0, 0, 0];
const codeSignature = (dataOffset: number): number[] => [0x1d, 16, dataOffset, 1_000_000];

function macho(commands: readonly (readonly number[])[]): Uint8Array {
  const words = commands.flat();
  return littleEndian([0xfeedfacf, 0x0100000c, 0, 2, commands.length, words.length * 4, 0, 0, ...words]);
}

function pe(offset: number, size: number, { directories = 16, magic = 0x20b } = {}): Uint8Array {
  const header = 0x80;
  const bytes = new Uint8Array(header + 24 + 112 + 16 * 8);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, 0x5a4d, true);
  view.setUint32(0x3c, header, true);
  view.setUint32(header, 0x4550, true);
  view.setUint16(header + 20, 112 + 16 * 8, true);
  view.setUint16(header + 24, magic, true);
  view.setUint32(header + 24 + 108, directories, true);
  view.setUint32(header + 24 + 112 + 32, offset, true);
  view.setUint32(header + 24 + 112 + 36, size, true);
  return bytes;
}

function littleEndian(words: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(words.length * 4);
  const view = new DataView(bytes.buffer);
  words.forEach((word, index) => view.setUint32(index * 4, word, true));
  return bytes;
}

/** The same pseudo-random numbers in every run (a linear congruential generator, Numerical Recipes' constants). */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
