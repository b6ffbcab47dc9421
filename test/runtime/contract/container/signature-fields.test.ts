import { expect, test } from 'vitest';
import { planMacho } from '#cli/packaging/binary/macho-layout.ts';
import { sealMacho } from '#cli/packaging/binary/macho-sign.ts';
import { withoutSignatureFields } from '#contract/container/signature-fields.ts';
import { CODE_END, macho } from '#test/cli/packaging/binary/macho-fixture.ts';

/** The head of a Mach-O file whose signature has the size for this identifier. */
function signedAs(identifier: string): Uint8Array {
  const file = macho({ signature: { offset: CODE_END, size: 64 } });
  return sealMacho(planMacho(file, CODE_END + 64), file, CODE_END + 16 - (CODE_END % 16), identifier).head;
}

test('signatures of any size leave the same bytes of a Mach-O file, and other changes do not', () => {
  const [short, long] = [signedAs('a'), signedAs('a'.repeat(20_000))];
  expect(short).not.toEqual(long);
  expect(withoutSignatureFields(short)).toEqual(withoutSignatureFields(long));
  // The argument is not changed, also if it is a Buffer.
  const buffer = Buffer.from(long);
  expect(withoutSignatureFields(buffer)).toEqual(withoutSignatureFields(long));
  expect(buffer.equals(long)).toBe(true);
  // The position of the signature is the end of the payload, which signing does not change.
  const changed = long.slice();
  const command = Buffer.from(changed.buffer).indexOf(Buffer.from([0x1d, 0, 0, 0, 16, 0, 0, 0]));
  changed[command + 8] = (changed[command + 8] ?? 0) ^ 1;
  expect(withoutSignatureFields(changed)).not.toEqual(withoutSignatureFields(long));
});

test('only the checksum and the position of the certificates of a PE file are left out', () => {
  const file = new Uint8Array(1024).fill(7);
  const view = new DataView(file.buffer);
  view.setUint16(0, 0x5a4d, true);
  view.setUint32(0x3c, 0x80, true);
  view.setUint32(0x80, 0x4550, true);
  view.setUint16(0x98, 0x20b, true);
  const cleared = withoutSignatureFields(file);
  const zeros = [...cleared.entries()].filter(([at, byte]) => byte === 0 && file[at] !== 0).map(([at]) => at);
  expect(zeros).toEqual([0xd8, 0xd9, 0xda, 0xdb, ...Array.from({ length: 8 }, (_, at) => 0x98 + 144 + at)]);
});

test('other and truncated files are returned as they are', () => {
  const elf = Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0);
  expect(withoutSignatureFields(elf)).toBe(elf);
  const file = signedAs('a');
  for (let length = 0; length < 400; length++) withoutSignatureFields(file.subarray(0, length));
  const windows = new Uint8Array(0x40);
  windows.set([0x4d, 0x5a]);
  windows.fill(0xff, 0x3c);
  expect(withoutSignatureFields(windows)).toBe(windows);
});
