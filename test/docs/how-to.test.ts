import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { examplesOf, packagesIn, pages, textOf } from '../how-to/code-blocks.ts';
import { ROOT } from '../helpers/paths.ts';

describe('docs/how-to', () => {
  test('there are Python examples with output, and all of them use the address localhost:8080', () => {
    const examples = pages().flatMap(examplesOf);
    expect(examples.length).toBeGreaterThanOrEqual(5);
    for (const { page, code } of examples) expect(code, page).toContain('localhost:8080');
  });

  test('pages with Python examples state the package versions that `npm run test:how-to` installs', () => {
    const installed = packagesIn(readFileSync(join(ROOT, 'test/how-to/requirements.txt'), 'utf8'));
    for (const page of pages().filter((name) => examplesOf(name).length > 0)) {
      const named = packagesIn(textOf(page)).map((one) => one.replace(/\[.*\]/, ''));
      expect(named.length, page).toBeGreaterThan(0);
      expect(installed, page).toEqual(expect.arrayContaining(named));
    }
  });

  test('the README links to every page', () => {
    const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
    for (const page of pages()) expect(readme).toContain(`(docs/how-to/${page})`);
  });
});
