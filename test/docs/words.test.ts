import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../helpers/paths.ts';
import { findWords } from './plain-words.ts';

const PAGES = [
  'README.md',
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  '.github/CONTRIBUTING.md',
  '.github/SECURITY.md',
  'fixtures/README.md',
  'fixtures/scripts/README.md',
  ...['docs', 'docs/how-to', 'docs/decisions'].flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
];

/** Passages in which a word is allowed, by page: quotations and names. Each must exist, or it is out of date. */
const ALLOWED: Readonly<Record<string, readonly RegExp[]>> = {
  // Texts used in the evaluation of a model.
  'fixtures/scripts/README.md': [/"nobody told me how \{a\} \.\.\." \([^)]*\)/],
  // The titles of the decisions, which are checked on their own pages.
  'docs/decisions/README.md': [/^## [^]*/m],
  // The glossary itself quotes the words.
  '.github/CONTRIBUTING.md': [/^\| instead of \| write \|\n(?:\|.*\n)+/m],
};

/** A page without code, which quotes programs, and without its allowed passages. Lines keep their numbers. */
function proseOf(page: string): string {
  const blank = (text: string): string => text.replaceAll(/[^\n]/g, '');
  const text = readFileSync(join(ROOT, page), 'utf8');
  const allowed = ALLOWED[page] ?? [];
  expect(allowed.filter((passage) => !passage.test(text))).toEqual([]);
  return allowed
    .reduce((rest, passage) => rest.replace(passage, blank), text)
    .replaceAll(/^```[^]*?^```/gm, blank)
    .replaceAll(/^ {4}.*$/gm, blank)
    .replaceAll(/<!-- members[^]*?<!-- \/members -->/g, blank)
    .replaceAll(/`[^`\n]*`/g, '`code`');
}

test.each(PAGES)('%s uses standard terms', (page) => {
  const findings = proseOf(page)
    .split('\n')
    .flatMap((line, index) =>
      findWords(line).map(({ found, instead }) => `${page}:${index + 1}: "${found}"; write ${instead}`),
    );
  expect(findings).toEqual([]);
});

test('terms to avoid are found, and similar words are not', () => {
  const wrong = [
    'Whoever asks',
    'It is no number.',
    'Runs at once.',
    'it begins anew',
    'optimised',
    'the labelled',
    'The client hears of it.',
    'it keeps clients out',
    'a box sticks out',
    'reports what is wrong',
    'works out of the box',
  ];
  for (const text of wrong) expect(findWords(text), text).not.toEqual([]);
  const right = [
    'The caller',
    'There is no key.',
    'It is no longer needed.',
    'otherwise',
    'promises',
    'revised',
    'It is left out.',
  ];
  for (const text of right) expect(findWords(text), text).toEqual([]);
});
