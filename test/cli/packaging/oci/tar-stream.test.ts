import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Header, list, Parser, type ReadEntry } from 'tar';
import { expect, it } from 'vitest';
import { type TarEntry, tarStream } from '#cli/packaging/oci/tar-stream.ts';
import { useTempFolder } from '../../../helpers/temp-folder.ts';

const folder = useTempFolder();
const text = (path: string, content: string): TarEntry => ({
  type: 'file',
  path,
  mode: 0o644,
  content: { bytes: new TextEncoder().encode(content) },
});

async function archiveOf(entries: readonly TarEntry[]): Promise<string> {
  const path = join(folder(), 'a.tar');
  const chunks: Uint8Array[] = [];
  for await (const chunk of tarStream(entries)) chunks.push(chunk.slice());
  writeFileSync(path, Buffer.concat(chunks));
  return path;
}

it('writes files and folders with fixed owners and times', async () => {
  const source = join(folder(), 'source');
  writeFileSync(source, 'x'.repeat(700));
  const path = await archiveOf([
    { type: 'folder', path: 'tmp', mode: 0o1777 },
    text('etc/passwd', 'root'),
    { type: 'file', path: 'app/program', mode: 0o755, content: { path: source, offset: 100, length: 513 } },
    text('empty', ''),
  ]);
  const found: unknown[] = [];
  await list({
    file: path,
    strict: true,
    onReadEntry: ({ path: name, mode, size, uid, gid, mtime, type }) =>
      found.push({ name, mode, size, uid, gid, mtime: mtime?.getTime(), type }),
  });
  const same = { uid: 0, gid: 0, mtime: 0 };
  expect(found).toEqual([
    { name: 'tmp/', mode: 0o1777, size: 0, type: 'Directory', ...same },
    { name: 'etc/passwd', mode: 0o644, size: 4, type: 'File', ...same },
    { name: 'app/program', mode: 0o755, size: 513, type: 'File', ...same },
    { name: 'empty', mode: 0o644, size: 0, type: 'File', ...same },
  ]);
  // Whole blocks, and two empty ones at the end.
  const bytes = readFileSync(path);
  expect(bytes.length).toBe(512 * (1 + 2 + 3 + 1 + 2));
  expect(bytes.subarray(-1024).every((byte) => byte === 0)).toBe(true);
});

it('writes names of any length in any script', async () => {
  const names = [`${'folder/'.repeat(60)}name`, 'n'.repeat(200), 'модель-模型', 'a'.repeat(99)];
  const path = await archiveOf(names.map((name) => text(name, 'content')));
  const found: string[] = [];
  await list({ file: path, strict: true, onReadEntry: (entry) => found.push(entry.path) });
  expect(found).toEqual(names);
});

it('writes file sizes above 8 GiB', async () => {
  const source = join(folder(), 'sparse');
  const length = 9 * 1024 ** 3;
  writeFileSync(source, '');
  truncateSync(source, length);
  const stream = tarStream([
    { type: 'file', path: 'big', mode: 0o755, content: { path: source, offset: 0, length } },
  ]);
  const { value } = await stream.next();
  await stream.return(undefined);
  const head = Buffer.from(value ?? []);
  const entries: ReadEntry[] = [];
  const parser = new Parser({ strict: true, onReadEntry: (entry) => entries.push(entry) });
  parser.write(head);
  expect(entries).toMatchObject([{ path: 'big', size: length }]);
  // Readers without pax support find the size in the header itself, in binary.
  expect(new Header(head, head.length - 512).size).toBe(length);
});

it('writes identical bytes for identical entries', async () => {
  const entries = [text('n'.repeat(200), 'a'), text('b', 'c')];
  const first = readFileSync(await archiveOf(entries));
  expect(readFileSync(await archiveOf(entries)).equals(first)).toBe(true);
});
