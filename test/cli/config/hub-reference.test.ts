import { expect, test } from 'vitest';
import {
  hubReferenceProblem,
  hubReferenceText,
  isHubReference,
  parseHubReference,
} from '#cli/config/hub-reference.ts';

test.each([
  ['hf:org/name', 'org/name', 'main'],
  ['hf:bert-base-uncased', 'bert-base-uncased', 'main'],
  ['hf:org/name@v1.0', 'org/name', 'v1.0'],
  ['hf:org/na.me_x-1@refs/pr/1', 'org/na.me_x-1', 'refs/pr/1'],
  [`hf:org/name@${'0f'.repeat(20)}`, 'org/name', '0f'.repeat(20)],
  ['hf:org/name@a@b', 'org/name', 'a@b'],
])('%s is parsed', (text, repository, revision) => {
  expect(isHubReference(text)).toBe(true);
  expect(parseHubReference(text)).toEqual({ repository, revision });
  expect(hubReferenceText({ repository, revision })).toBe(text);
});

test.each([
  'hf:',
  'hf:/',
  'hf:a/b/c',
  'hf:../x',
  'hf:a/..',
  'hf:a--b/c',
  'hf:-a/b',
  'hf:a/b.git',
  'hf:a b/c',
  'hf://a/b',
])('%s is not a model reference', (text) => {
  expect(hubReferenceProblem(text)).toBe(
    `${JSON.stringify(text)} does not name a model. Write hf:org/name or hf:org/name@revision`,
  );
  expect(() => parseHubReference(text)).toThrow(/^Invalid model reference: .*revision\.$/);
});

test.each(['', '..', 'a/../b', '/a', 'a/', 'a//b', 'a b', 'a\\b', 'a:b', '.a', 'a/.b', 'x.lock', 'a\nb'])(
  '%j is not a revision',
  (revision) => {
    expect(hubReferenceProblem(`hf:org/name@${revision}`)).toContain(
      `${JSON.stringify(revision)} is not a valid branch, tag or commit.`,
    );
  },
);

test('a folder with the same name is not a hub reference', () => {
  expect(isHubReference('./hf:org/name')).toBe(false);
  expect(hubReferenceProblem('org/name')).toContain('Write hf:org/name');
});
