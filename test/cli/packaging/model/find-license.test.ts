import { expect, test } from 'vitest';
import { findLicense } from '#cli/packaging/model/model-documents.ts';

const CARD = { name: 'README.md', text: '---\nlicense: other\nlicense_name: llama3\ntags: [a]\n---\n' };
const LICENSE = { name: 'LICENSE', text: '\n  # MIT License #\n\nPermission is granted.\n' };
const NOTICE = { name: 'NOTICE', text: 'Copyright of the authors\n' };
const find = (stated: string | undefined, card: typeof CARD | undefined, ...licenses: (typeof CARD)[]) =>
  findLicense(stated, { card, licenses, problems: [] });

test('the license in the config takes precedence over the model card, and the card takes precedence over a license file', () => {
  expect(find('mit', CARD, LICENSE).license).toEqual({ id: 'mit', source: 'config' });
  expect(find(undefined, CARD, LICENSE).license).toEqual({ id: 'other', name: 'llama3', source: 'card' });
  expect(find(undefined, undefined, LICENSE).license).toEqual({ id: 'MIT License', source: 'file' });
  expect(find(undefined, { name: 'README.md', text: '# A model' }, LICENSE).license?.source).toBe('file');
});

test.each([
  ['\n     Apache License\n   Version 2.0, January 2004\n  http://\n', 'Apache License, Version 2.0'],
  ['GNU GENERAL PUBLIC LICENSE\n\n Version 3, 29 June 2007\n', 'GNU GENERAL PUBLIC LICENSE, Version 3'],
  ['BSD License\n\nVersions of this software\n', 'BSD License'],
  ['---\n\n', 'LICENSE'],
])('a license file %j is identified as %s', (text, id) => {
  expect(find(undefined, undefined, { name: 'LICENSE', text }).license).toEqual({ id, source: 'file' });
});

test("if the config repeats the model card's license ID, the license name in the card is kept", () => {
  expect(find('other', CARD).license).toEqual({ id: 'other', name: 'llama3', source: 'config' });
});

test('a NOTICE file does not determine the license, but its text is included', () => {
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

test('the citation comes from the front matter, the card, or CITATION.cff', () => {
  const section = '# Model\n## Citation\n```bibtex\n@misc{a}\n```\n';
  const citation = { name: 'CITATION.cff', text: 'cff-version: 1.2.0\ntitle: A model\n' };
  const cited = (text: string, file?: typeof citation) =>
    findLicense(undefined, {
      card: { name: 'README.md', text },
      licenses: [],
      ...(file ? { citation: file } : {}),
      problems: [],
    });
  expect(cited(`---\ncitation: |\n  @misc{b,\n  }\n---\n${section}`, citation).facts?.citation).toBe(
    '@misc{b,\n}',
  );
  expect(cited(section, citation).facts).toEqual({ citation: '@misc{a}' });
  expect(cited('# Model', citation).facts).toEqual({ citation: 'cff-version: 1.2.0\ntitle: A model' });
  expect(cited('# Model').facts).toBeUndefined();
  const long = cited('# Model', { ...citation, text: 'x'.repeat(9000) });
  expect(long.facts).toBeUndefined();
  expect(long.problems).toEqual(['The citation is not included: it is longer than 8192 characters.']);
});

test('a license file without letters is identified by its file name', () => {
  expect(find(undefined, undefined, { name: 'COPYING', text: '====\n1.0\n' }).license?.id).toBe('COPYING');
});

test('invalid fields in the card are reported', () => {
  const card = { name: 'README.md', text: '---\nlicense: [\n---\n' };
  expect(find(undefined, card).problems).toEqual([
    'README.md: `license` is ignored, because it is too long or not valid YAML.',
  ]);
});
