import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFileSource, withFileSource } from '#platform/file-source.ts';
import { readChunks } from '#platform/read-chunks.ts';
import { sha256, sha256Digest } from '#platform/sha256.ts';
import { useTempFolder } from '../../helpers/temp-folder.ts';

const folder = useTempFolder();

test('a file that cannot be opened is reported with the reason', () => {
  expect(() => openFileSource(join(folder(), 'nosuch'))).toThrow(`No such file: ${join(folder(), 'nosuch')}`);
  expect(() => openFileSource(folder())).toThrow(`${folder()} is a folder. Pass a file.`);
});

test('a range is read completely, or the truncation is reported', async () => {
  const path = join(folder(), 'file');
  writeFileSync(path, 'abcdef');
  await withFileSource(path, (source) => {
    expect(new TextDecoder().decode(source.readAt(2, 3))).toBe('cde');
    truncateSync(path, 3);
    expect(() => source.readAt(2, 3)).toThrow(
      `${path} was truncated while it was being read: it ends before byte 5.`,
    );
  });
});

test('chunks of a range contain its bytes', async () => {
  const path = join(folder(), 'chunks');
  writeFileSync(path, 'abcdef');
  const texts: string[] = [];
  for await (const chunk of readChunks({ path, offset: 1, length: 4 }))
    texts.push(new TextDecoder().decode(chunk));
  expect(texts.join('')).toBe('bcde');
});

test('a string and its UTF-8 bytes have the same hash', () => {
  const bytes = new TextEncoder().encode('é');
  expect(sha256('é')).toBe(sha256(bytes));
  expect(Buffer.from(sha256Digest(bytes)).toString('hex')).toBe(sha256(bytes));
});
