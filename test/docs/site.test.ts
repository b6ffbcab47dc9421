import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect, test } from 'vitest';
import { ADDED_PAGES, decisionItems, pageText, siteFiles } from '../../site/pages.ts';
import { anchorsIn, linksIn, replaceLinks, titleOf } from '../../site/markdown.ts';
import { rootPage, versionsOf } from '../../site/versions.ts';
import { ROOT } from '../helpers/paths.ts';

const files = siteFiles();
const pages = [...files.keys()].filter((place) => place.endsWith('.md'));
const text = (place: string): string => pageText(place, files, 'https://host/{kind}/v1');
const groups: { items: [string, string][] }[] = JSON.parse(
  readFileSync(join(ROOT, 'site/navigation.json'), 'utf8'),
);

test('every page is in the navigation once', () => {
  const listed = groups.flatMap(({ items }) => items.map(([, page]) => page));
  const others = ['index.md', ...Object.keys(ADDED_PAGES), ...decisionItems().map(([, page]) => page)];
  expect([...listed, ...others].toSorted()).toEqual(pages.toSorted());
});

test.each(pages)('links of %s lead to pages and sections of the site', (place) => {
  const broken = linksIn(text(place)).filter(({ target }) => {
    if (/^[a-z]+:/.test(target)) return false;
    const [path = '', anchor] = target.split('#');
    const wanted = path === '' ? place : posix.join(posix.dirname(place), path);
    if (!files.has(wanted)) return true;
    return anchor !== undefined && !anchorsIn(text(wanted)).has(anchor);
  });
  expect(broken).toEqual([]);
});

test('links to other files of the repository lead there', () => {
  expect(text('serve.md')).toContain('](https://host/tree/v1/proto/encoder)');
  expect(text('how-to/sign-in.md')).toContain('](https://host/blob/v1/test/sign-in/keycloak-realm.json)');
  expect(text('contributing.md')).toContain('](./architecture.md)');
});

test('links in code stay, and headings have the anchors of GitHub', () => {
  const page = '# A `title`\n\n[x](a.md) `[y](b.md)`\n\n    [z](c.md)\n\n## Next: it\n\n## Next: it\n';
  expect(replaceLinks(page, () => 'new')).toBe(page.replace('(a.md)', '(new)'));
  expect([...anchorsIn(page)]).toEqual(['a-title', 'next-it', 'next-it-1']);
  expect(titleOf(page)).toBe('A title');
});

test('the root of the site leads to the newest version and lists all', () => {
  const versions = versionsOf(['0.9.0', 'x', '0.10.0', 'versions.json', '1.0.0-rc.1']);
  expect(versions).toEqual(['1.0.0-rc.1', '0.10.0', '0.9.0']);
  expect(rootPage(versions)).toContain('url=./1.0.0-rc.1/index.html');
  expect(rootPage(versions)).toContain('<a href="./0.9.0/index.html">0.9.0</a>');
});
