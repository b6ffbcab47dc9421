import { expect, test } from 'vitest';
import { formatNotices } from '#cli/packaging/notices/format-notices.ts';

test('lists all software, and prints identical texts once', () => {
  const notice = (name: string) => ({
    name,
    version: '1.0.0',
    license: 'MIT',
    texts: [{ source: 'LICENSE', text: 'Permission' }],
  });
  const rule = '='.repeat(80);
  expect(formatNotices([notice('a'), notice('long')])).toBe(`This program contains:

  a 1.0.0     MIT
  long 1.0.0  MIT

${rule}

a 1.0.0 (MIT)

LICENSE:

Permission

${rule}

long 1.0.0 (MIT)

LICENSE: same text as a 1.0.0
`);
});
