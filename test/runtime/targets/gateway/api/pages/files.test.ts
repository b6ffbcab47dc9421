import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { SHARED_FILES } from '#serve/http/pages/page-files.ts';
import { PAGE_FILES } from '#gateway/api/pages/routes.ts';

const MAX_BYTES = 250_000;

test('page files reference no other origins, never build HTML from strings, and stay within the size limit', () => {
  const own = PAGE_FILES.names().map(PAGE_FILES.read);
  for (const text of own) {
    expect(text).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(/);
    // An example in a hint can be an address of this machine.
    expect(text).not.toMatch(/https?:\/\/(?!127\.0\.0\.1)/);
  }
  const texts = [...own, ...SHARED_FILES.names().map(SHARED_FILES.read)];
  expect(texts.reduce((sum, text) => sum + gzipSync(text).length, 0)).toBeLessThan(MAX_BYTES);
});
