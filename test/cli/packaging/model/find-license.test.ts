import { expect, test } from 'vitest';
import { findLicense } from '../../../../cli/packaging/model/find-license.ts';

const CARD = { name: 'README.md', text: '---\nlicense: other\nlicense_name: llama3\ntags: [a]\n---\n' };
const LICENSE = { name: 'LICENSE', text: '\n  # MIT License #\n\nPermission is granted.\n' };
const NOTICE = { name: 'NOTICE', text: 'Copyright of the authors\n' };
const find = (stated: string | undefined, card: typeof CARD | undefined, ...licenses: (typeof CARD)[]) =>
  findLicense(stated, { card, licenses, problems: [] });

test('the config comes before the card, and the card before a license file', () => {
  expect(find('mit', CARD, LICENSE).license).toEqual({ id: 'mit', source: 'config' });
  expect(find(undefined, CARD, LICENSE).license).toEqual({ id: 'other', name: 'llama3', source: 'card' });
  expect(find(undefined, undefined, LICENSE).license).toEqual({ id: 'MIT License', source: 'file' });
  expect(find(undefined, { name: 'README.md', text: '# A model' }, LICENSE).license?.source).toBe('file');
});

test('a config that repeats the card keeps the name of the license', () => {
  expect(find('other', CARD).license).toEqual({ id: 'other', name: 'llama3', source: 'config' });
});

test('a notice states no license, but its text is kept', () => {
  expect(find(undefined, undefined, NOTICE)).toEqual({
    license: undefined,
    facts: undefined,
    licenseText: 'NOTICE:\n\nCopyright of the authors\n',
    cardText: undefined,
    problems: [],
  });
  expect(find(undefined, undefined, LICENSE, NOTICE).licenseText).toBe(
    'LICENSE:\n\n# MIT License #\n\nPermission is granted.\n\nNOTICE:\n\nCopyright of the authors\n',
  );
});

test('a license file without letters is named', () => {
  expect(find(undefined, undefined, { name: 'COPYING', text: '====\n1.0\n' }).license?.id).toBe('COPYING');
});

test('invalid members of the card are reported', () => {
  const card = { name: 'README.md', text: '---\nlicense: [\n---\n' };
  expect(find(undefined, card).problems).toEqual([
    'README.md: `license` is ignored, because it is too long or not valid YAML.',
  ]);
});
