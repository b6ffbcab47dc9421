import { readdirSync } from 'node:fs';
import { extname } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readSharedFile, SHARED_FILES } from '#serve/http/pages/files.ts';
import { PAGE_FILES, readPageFile } from '#gateway/api/pages/files.ts';

const FOLDER = new URL('../../../../../../runtime/targets/gateway/api/pages/browser', import.meta.url);
const MAX_BYTES = 250_000;

test('the list of files is the folder, and no file hides one that all programs share', () => {
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' });
  const shipped = files.filter((name) => ['.html', '.css', '.js'].includes(extname(name)));
  expect([...PAGE_FILES].toSorted()).toEqual(shipped.map((name) => name.replaceAll('\\', '/')).toSorted());
  expect(new Set([...PAGE_FILES, ...SHARED_FILES]).size).toBe(PAGE_FILES.length + SHARED_FILES.length);
});

test('no file names another origin or makes elements of texts, and all together are small', () => {
  const own = PAGE_FILES.map(readPageFile);
  for (const text of own) {
    expect(text).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(/);
    // An example in a hint is an address of this machine.
    expect(text).not.toMatch(/https?:\/\/(?!127\.0\.0\.1)/);
  }
  const texts = [...own, ...SHARED_FILES.map(readSharedFile)];
  expect(texts.reduce((sum, text) => sum + gzipSync(text).length, 0)).toBeLessThan(MAX_BYTES);
});
