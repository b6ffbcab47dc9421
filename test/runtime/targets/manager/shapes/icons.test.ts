import { expect, test } from 'vitest';
import { createCheckList } from '#manager/shapes/check-list.ts';
import type { ListName } from '#manager/shared/list-items.ts';
import { shownServerInfo } from '#manager/shapes/shape.ts';

const check = createCheckList();
const LISTS: readonly ListName[] = ['tools', 'prompts', 'resources', 'resourceTemplates'];
const item = (icons: unknown): object => ({
  name: 'x',
  uri: 'memo://x',
  uriTemplate: 'memo://{x}',
  inputSchema: { type: 'object' },
  icons,
});

async function iconsOf(list: ListName, icons: unknown): Promise<unknown> {
  const { items, faults } = await check(list, [item(icons)]);
  expect(faults).toEqual([]);
  return items[0]?.['icons'];
}

const GOOD = [
  { src: 'https://example.com/a.svg', mimeType: 'image/svg+xml', sizes: ['any'], theme: 'dark' },
  { src: 'http://localhost/a.png', sizes: ['48x48', '96x96'] },
  { src: 'data:image/png;base64,iVBORw0KGgo=' },
  { src: 'data:image/svg+xml,%3Csvg/%3E' },
];

test.each(LISTS)('icons in lists of %s are passed on unchanged', async (list) => {
  expect(await iconsOf(list, GOOD)).toEqual(GOOD);
});

test.each([
  'javascript:alert(1)',
  ' javascript:alert(1)',
  'file:///etc/passwd',
  'ftp://example.com/a.png',
  'wss://example.com/a.png',
  'app://icon',
  'data:text/html,<script>',
  'data:,',
  'a.png',
  '',
  `data:image/png;base64,${'A'.repeat(65_536)}`,
  `https://example.com/${'a'.repeat(8192)}`,
])('an icon with the URI %.40s is removed, and the item is kept', async (src) => {
  for (const list of LISTS) expect(await iconsOf(list, [{ src }, GOOD[0]])).toEqual([GOOD[0]]);
});

test('only the first 16 icons of an item are passed on', async () => {
  const many = Array.from({ length: 20 }, (_, at) => ({ src: `https://example.com/${at}.png` }));
  expect(await iconsOf('tools', many)).toEqual(many.slice(0, 16));
});

test("a server's icons, website and description are passed on if they are safe", () => {
  expect(
    shownServerInfo({
      name: 'x',
      icons: [{ src: 'javascript:alert(1)' }, GOOD[0]],
      websiteUrl: 'javascript:alert(1)',
      description: 'A server.',
    }),
  ).toEqual({ icons: [GOOD[0]], description: 'A server.' });
  expect(shownServerInfo({ websiteUrl: 'https://example.com' })).toEqual({
    websiteUrl: 'https://example.com',
  });
  expect(shownServerInfo({ name: 'x' })).toBeUndefined();
});
