import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { planMacho } from '#cli/packaging/binary/macho-layout.ts';
import { sealMacho } from '#cli/packaging/binary/macho-sign.ts';
import { buildSignature } from '#cli/packaging/binary/macho-signature.ts';
import { payloadEnd } from '#contract/container/payload-end.ts';
import { CODE_END, LINKEDIT_OFFSET, macho, type MachoOptions, parseMacho } from './macho-fixture.ts';

// `verify-macho.py` next to this file checks a real executable.

const PAGE = 4096;

const signed = { signature: { offset: CODE_END, size: 64 } };

describe.each([
  ['unsigned', {}, CODE_END],
  ['signed', signed, CODE_END + 64],
])('a Mach-O file that was originally %s', (_, options: MachoOptions, size) => {
  it('is planned with the end of its code, its text segment and a new or reused signature command', () => {
    const plan = planMacho(macho(options).subarray(0, 16_384), size);
    expect(plan.codeEnd).toBe(CODE_END);
    expect(plan.signatureCommand.isNew).toBe(options.signature === undefined);
    expect(plan.text).toEqual({ fileOffset: 0, fileSize: 0x8000 });
  });

  it('has a payload inside __LINKEDIT and a signature at the end of the file', () => {
    const payload = Uint8Array.from({ length: 50_000 }, (_, index) => index % 251);
    const { file, end } = append(macho(options), payload);
    const { commands, header } = parseMacho(file);

    expect(payloadEnd(file.subarray(0, 65_536), file.length)).toBe(end);
    expect(Buffer.compare(file.subarray(end - payload.length, end), payload)).toBe(0);

    expect(header.count).toBe(5);
    expect(header.length).toBe(commands.reduce((sum, command) => sum + command.length, 0));
    const signature = commands.find((command) => command.type === 0x1d);
    expect(signature?.words.slice(2)).toEqual([end, file.length - end]);
    const linkEdit = commands.find((command) => command.name === '__LINKEDIT');
    expect(linkEdit?.fileOffset).toBe(LINKEDIT_OFFSET);
    expect(linkEdit?.fileSize).toBe(file.length - LINKEDIT_OFFSET);
    expect(linkEdit?.memorySize).toBe(Math.ceil((file.length - LINKEDIT_OFFSET) / 16_384) * 16_384);
    // The string table, which is the last data before the signature, is extended to it, so that there is no gap.
    const symbols = commands.find((command) => command.type === 2);
    expect((symbols?.words[4] ?? 0) + (symbols?.words[5] ?? 0)).toBe(end);
  });

  it('keeps all bytes between its load commands and the end of its code', () => {
    const before = macho(options);
    const { file } = append(before, new Uint8Array(5_000));
    const commandsEnd = 32 + parseMacho(file).header.length;
    expect(Buffer.compare(before.subarray(commandsEnd, CODE_END), file.subarray(commandsEnd, CODE_END))).toBe(
      0,
    );
  });
});

describe('the signature', () => {
  const { file, end } = append(macho(signed), new Uint8Array(50_000).fill(7), 'naïve');
  const signature = Buffer.from(file.subarray(end));
  const blob = (slot: number): Buffer => {
    for (let index = 0; index < signature.readUInt32BE(8); index++) {
      if (signature.readUInt32BE(12 + index * 8) !== slot) continue;
      const offset = signature.readUInt32BE(16 + index * 8);
      return signature.subarray(offset, offset + signature.readUInt32BE(offset + 4));
    }
    throw new Error(`no blob ${slot}`);
  };

  it('contains three blobs and is padded with zeros to a multiple of 16', () => {
    expect(signature.readUInt32BE(0)).toBe(0xfade0cc0);
    expect(signature.readUInt32BE(8)).toBe(3);
    const length = signature.readUInt32BE(4);
    expect(signature.length).toBe(Math.ceil(length / 16) * 16);
    expect(signature.subarray(length).every((byte) => byte === 0)).toBe(true);
    expect(blob(2).toString('hex')).toBe('fade0c010000000c00000000');
    expect(blob(0x10000).toString('hex')).toBe('fade0b0100000008');
  });

  it('names the executable segment, the identifier and the hash kind', () => {
    const directory = blob(0);
    expect(directory.readUInt32BE(0)).toBe(0xfade0c02);
    expect(directory.readUInt32BE(8)).toBe(0x20400);
    expect(directory.readUInt32BE(12)).toBe(2);
    const identifier = directory.readUInt32BE(20);
    expect(directory.subarray(identifier, directory.indexOf(0, identifier)).toString()).toBe('naïve');
    expect(directory.readUInt32BE(32)).toBe(end);
    expect([...directory.subarray(36, 40)]).toEqual([32, 2, 0, 12]);
    expect([56, 64, 72, 80].map((at) => directory.readBigUInt64BE(at))).toEqual([0n, 0n, 0x8000n, 1n]);
  });

  it('hashes the requirements and every page of the file, with a shorter last page', () => {
    const directory = blob(0);
    const hashOffset = directory.readUInt32BE(16);
    const pages = directory.readUInt32BE(28);
    expect(directory.readUInt32BE(24)).toBe(2);
    expect(pages).toBe(Math.ceil(end / PAGE));
    expect(end % PAGE).not.toBe(0);
    expect(directory.length).toBe(hashOffset + pages * 32);
    expect(directory.subarray(hashOffset - 32, hashOffset)).toEqual(Buffer.alloc(32));
    expect(directory.subarray(hashOffset - 64, hashOffset - 32)).toEqual(Buffer.from(sha256(blob(2))));
    for (let page = 0; page < pages; page++) {
      const bytes = file.subarray(page * PAGE, Math.min((page + 1) * PAGE, end));
      const slot = hashOffset + page * 32;
      expect(directory.subarray(slot, slot + 32)).toEqual(Buffer.from(sha256(bytes)));
    }
  });

  it('rejects a wrong number of page hashes and an invalid identifier', () => {
    const plan = planMacho(macho(signed), CODE_END + 64);
    const input = { plan, pageHashes: new Uint8Array(32), codeLimit: 8192, identifier: 'model', sha256 };
    expect(() => buildSignature(input)).toThrow(/needs 2 page hashes of 32 bytes, got 32 bytes/);
    const good = { ...input, pageHashes: new Uint8Array(64) };
    expect(() => buildSignature({ ...good, identifier: '' })).toThrow(/must be a non-empty string/);
    expect(() => buildSignature({ ...good, identifier: 'a\0b' })).toThrow(/must be a non-empty string/);
  });
});

describe('sealMacho rejects', () => {
  const file = macho(signed);
  const plan = planMacho(file, CODE_END + 64);

  it.each([
    [CODE_END + 8, /not a multiple of 16\. Pad it before its footer/],
    [CODE_END - 16, /before the end of the code/],
    [0xffff_fff0, /must end below 4 GiB\. Use a smaller or quantized model/],
    [0xffff_ffff + 17, /must end below 4 GiB/],
  ])('a payload that ends at offset %i', (end, message) => {
    expect(() => sealMacho(plan, file, end, 'model')).toThrow(
      expect.objectContaining({ code: 'ConfigError', message: expect.stringMatching(message) }),
    );
  });

  it('an executable of 4.2 GB', () => {
    const { signatureSize } = sealMacho(plan, file, 4_200_000_000, 'model');
    expect(signatureSize).toBeGreaterThan((4_200_000_000 / PAGE) * 32);
  });
});

describe('planMacho rejects', () => {
  it.each([
    [
      'a file without room for the command',
      macho({ padding: 15 }),
      CODE_END,
      /has 15 free bytes after its load commands/,
    ],
    ['a header that is too short', macho({}).subarray(0, 300), CODE_END, /load commands end at/],
    ['an ELF file', Uint8Array.of(0x7f, 0x45, 0x4c, 0x46), 4, /not a thin 64-bit Mach-O/],
    ['a library', macho({ fileType: 6 }), CODE_END, /file type is 6/],
    ['a signature after the end', macho(signed), CODE_END - 1, /code signature starts at/],
    ['data after __LINKEDIT', macho({}), CODE_END + 1, /does not reach the end of its code/],
    ['a segment after __LINKEDIT', macho({ linkEditAddress: 0 }), CODE_END, /segment __TEXT is mapped after/],
    ['a file without __LINKEDIT', macho({ linkEditName: '__OTHER' }), CODE_END, /no __LINKEDIT segment/],
  ])('%s', (_, head, size, message) => {
    expect(() => planMacho(head, size)).toThrow(
      expect.objectContaining({ code: 'ConfigError', message: expect.stringMatching(message) }),
    );
  });

  it('any truncated header, with an error message instead of a crash', () => {
    const file = macho(signed);
    const commandsEnd = 32 + parseMacho(file).header.length;
    for (let length = 0; length < commandsEnd; length++) {
      expect(() => planMacho(file.subarray(0, length), CODE_END + 64)).toThrow(
        /^Cannot append a payload to the macOS executable/,
      );
    }
  });

  it('requires only 16 bytes of padding', () => {
    expect(planMacho(macho({ padding: 16 }), CODE_END).signatureCommand.isNew).toBe(true);
  });
});

/** Does the same as a build, in memory. The payload ends at a multiple of 16. */
function append(base: Uint8Array, payload: Uint8Array, identifier = 'model') {
  const head = base.subarray(0, 16_384);
  const plan = planMacho(head, base.length);
  const end = Math.ceil((plan.codeEnd + 1000 + payload.length) / 16) * 16;
  const sealed = sealMacho(plan, head, end, identifier);
  const file = new Uint8Array(end + sealed.signatureSize);
  file.set(base.subarray(0, plan.codeEnd));
  file.set(sealed.head);
  file.set(payload, end - payload.length);
  const pageHashes = Buffer.concat(
    Array.from({ length: Math.ceil(end / PAGE) }, (_, page) =>
      sha256(file.subarray(page * PAGE, Math.min((page + 1) * PAGE, end))),
    ),
  );
  const signature = buildSignature({ plan, pageHashes, codeLimit: end, identifier, sha256 });
  expect(signature.length).toBe(sealed.signatureSize);
  file.set(signature, end);
  return { file, end };
}

function sha256(bytes: Uint8Array): Uint8Array {
  return createHash('sha256').update(bytes).digest();
}
