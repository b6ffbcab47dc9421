import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, inflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { openZip, type ZipEntry } from '#cli/release/python/zip.ts';
import { sha256 } from '#platform/sha256.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';

const folder = useTempFolder();

test('an archive keeps contents and modes, and equal files produce equal bytes', async () => {
  const source = join(folder(), 'program');
  // Larger than several chunks, and not compressible to nothing.
  const program = Buffer.from(Uint32Array.from({ length: 700_000 }, (_, at) => Math.imul(at, at)).buffer);
  writeFileSync(source, program);
  const entries: ZipEntry[] = [
    { path: 'a/text.py', text: 'é\n' },
    { path: 'empty', text: '' },
    { path: 'bin/program', source, executable: true },
  ];
  const write = async (name: string): Promise<Buffer> => {
    const path = join(folder(), name);
    const zip = await openZip(path);
    const written = [];
    for (const entry of entries) written.push(await zip.add(entry));
    await zip.finish();
    await zip.close();
    expect(written.at(-1)).toEqual({ path: 'bin/program', size: program.length, sha256: sha256(program) });
    return readFileSync(path);
  };
  const bytes = await write('one.zip');
  expect((await write('other.zip')).equals(bytes)).toBe(true);
  expect(filesIn(bytes)).toEqual([
    { path: 'a/text.py', mode: 0o100644, sha256: sha256('é\n') },
    { path: 'empty', mode: 0o100644, sha256: sha256('') },
    { path: 'bin/program', mode: 0o100755, sha256: sha256(program) },
  ]);
});

test('an archive does not replace a file', async () => {
  const path = join(folder(), 'taken.zip');
  mkdirSync(path);
  await expect(openZip(path)).rejects.toThrow('EEXIST');
});

/** Reads an archive by its directory, and checks each checksum. */
function filesIn(bytes: Buffer): object[] {
  const end = bytes.length - 22;
  expect(bytes.readUInt32LE(end)).toBe(0x06054b50);
  const files: object[] = [];
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left -= 1) {
    expect(bytes.readUInt32LE(at)).toBe(0x02014b50);
    const [crc, compressed, size] = [16, 20, 24].map((offset) => bytes.readUInt32LE(at + offset));
    const nameLength = bytes.readUInt16LE(at + 28);
    const local = bytes.readUInt32LE(at + 42);
    const path = bytes.toString('ascii', at + 46, at + 46 + nameLength);
    // The header of the file itself has the same facts as the directory.
    expect(bytes.subarray(local + 6, local + 28).equals(bytes.subarray(at + 8, at + 30))).toBe(true);
    expect(bytes.toString('ascii', local + 30, local + 30 + nameLength)).toBe(path);
    const start = local + 30 + nameLength;
    const content = inflateRawSync(bytes.subarray(start, start + (compressed ?? 0)));
    expect([crc32(content), content.length]).toEqual([crc, size]);
    files.push({ path, mode: bytes.readUInt32LE(at + 38) >>> 16, sha256: sha256(content) });
    at += 46 + nameLength;
  }
  expect(at).toBe(end);
  return files;
}
