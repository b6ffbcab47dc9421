import { expect, test } from 'vitest';
import { unifiedDiff } from '#core/text/unified-diff.ts';

test.each([
  ['', 'a\n', '@@ -0,0 +1,1 @@\n+a\n'],
  ['a\n', '', '@@ -1,1 +0,0 @@\n-a\n'],
  [
    '1\n2\n3\n4\n5\n6\n7\n8\n9\n',
    '1\n2\n3\n4\nx\n6\n7\n8\n9\n',
    '@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n',
  ],
  ['a\na\n', 'a\na\na\n', '@@ -1,2 +1,3 @@\n a\n a\n+a\n'],
])('the diff from %j to %j is correct', (before, after, hunk) => {
  expect(unifiedDiff('f', before, after)).toBe(`--- f\n+++ f\n${hunk}`);
});

test('identical texts have an empty diff', () => {
  expect(unifiedDiff('f', 'a', 'a')).toBe('');
});
