import { expect, test } from 'vitest';
import { unsignPe } from '#cli/packaging/binary/pe-unsign.ts';
import { payloadEnd } from '#contract/container/payload-end.ts';

/** The smallest file with a PE32+ header, a body and a signature at its end. */
function signedPe(): Uint8Array {
  const file = new Uint8Array(0x500).fill(7, 0x300);
  const view = new DataView(file.buffer);
  view.setUint16(0, 0x5a4d, true);
  view.setUint32(0x3c, 0x80, true);
  view.setUint32(0x80, 0x4550, true);
  view.setUint16(0x80 + 20, 240, true);
  view.setUint16(0x80 + 24, 0x20b, true);
  view.setUint32(0x80 + 24 + 108, 16, true);
  view.setUint32(0x80 + 24 + 144, 0x480, true);
  view.setUint32(0x80 + 24 + 148, 0x80, true);
  return file;
}

test('a signature at the end is removed, with its directory entry', () => {
  const signed = signedPe();
  expect(payloadEnd(signed, signed.length)).toBe(0x480);
  const unsigned = unsignPe(signed);
  expect(unsigned).toHaveLength(0x480);
  expect(payloadEnd(unsigned, 10_000)).toBe(10_000);
  expect(unsigned.subarray(0x300)).toEqual(signed.subarray(0x300, 0x480));
  expect(unsignPe(unsigned)).toEqual(unsigned);
});

test('a file that is not a PE file is rejected', () => {
  expect(() => unsignPe(new Uint8Array(10))).toThrow('is not a PE file');
  expect(() => unsignPe(new Uint8Array(4096))).toThrow('is not a PE file');
});
