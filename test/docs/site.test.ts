import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect, test } from 'vitest';
import { brokenLinks } from '../../site/broken-links.ts';
import { ADDED_PAGES, decisionItems, pageText, siteFiles } from '../../site/pages.ts';
import { anchorsIn, linksIn, replaceLinks, titleOf } from '../../site/markdown.ts';
import { rootPage, versionsOf } from '../../site/versions.ts';
import { ROOT } from '../helpers/paths.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';

const folder = useTempFolder();
const files = siteFiles();
const pages = [...files.keys()].filter((place) => place.endsWith('.md'));
const text = (place: string): string => pageText(place, files, 'https://host/{kind}/v1');
const groups: { items: [string, string][] }[] = JSON.parse(
  readFileSync(join(ROOT, 'site/navigation.json'), 'utf8'),
);

test('every page appears in the navigation once', () => {
  const listed = groups.flatMap(({ items }) => items.map(([, page]) => page));
  const others = ['index.md', ...Object.keys(ADDED_PAGES), ...decisionItems().map(([, page]) => page)];
  expect([...listed, ...others].toSorted()).toEqual(pages.toSorted());
});

test.each(pages)('links in %s to pages and sections of the site are valid', (place) => {
  const broken = linksIn(text(place)).filter(({ target }) => {
    if (/^[a-z]+:/.test(target)) return false;
    const [path = '', anchor] = target.split('#');
    const wanted = path === '' ? place : posix.join(posix.dirname(place), path);
    if (!files.has(wanted)) return true;
    return anchor !== undefined && !anchorsIn(text(wanted)).has(anchor);
  });
  expect(broken).toEqual([]);
});

test('links to other files of the repository become links to GitHub', () => {
  expect(text('serve.md')).toContain('](https://host/tree/v1/proto/encoder)');
  expect(text('how-to/sign-in.md')).toContain('](https://host/blob/v1/test/sign-in/keycloak-realm.json)');
  expect(text('contributing.md')).toContain('](./architecture.md)');
});

test('links in code are unchanged, and headings have the same anchors as on GitHub', () => {
  const page = '# A `title`\n\n[x](a.md) `[y](b.md)`\n\n    [z](c.md)\n\n## Next: it\n\n## Next: it\n';
  expect(replaceLinks(page, () => 'new')).toBe(page.replace('(a.md)', '(new)'));
  expect([...anchorsIn(page)]).toEqual(['a-title', 'next-it', 'next-it-1']);
  expect(titleOf(page)).toBe('A title');
});

test('the root of the site redirects to the latest release, or to main if there are no releases, and lists all versions', () => {
  const versions = versionsOf(['0.9.0', 'x', 'next', '0.10.0', 'versions.json', '1.0.0-rc.1']);
  expect(versions).toEqual(['1.0.0-rc.1', '0.10.0', '0.9.0', 'next']);
  expect(rootPage(versions)).toContain('url=./1.0.0-rc.1/index.html');
  expect(rootPage(versions)).toContain('<a href="./0.9.0/index.html">0.9.0</a>');
  expect(rootPage(versionsOf(['next']))).toContain('url=./next/index.html');
});

test('broken links to pages, anchors and images in a built site are reported', () => {
  const write = (name: string, html: string): void => writeFileSync(join(folder(), name), html);
  mkdirSync(join(folder(), 'a'));
  const links = ['./b.html#one', '../c.html', '#top', 'https://host/x', 'mailto:x', '../', 'data:,'];
  const broken = ['./gone.html', './b.html#two', '#gone'];
  const anchors = [...links, ...broken].map((target) => `<a class="x" href="${target}">x</a>`);
  write(
    'a/index.html',
    `<h1 id="top">a</h1>${anchors.join('')}<img src="gone.png"><img src="../p&amp;q.png">`,
  );
  write('a/b.html', '<h2 id="one">one</h2>');
  for (const name of ['c.html', 'index.html', 'p&q.png']) write(name, '');
  expect(brokenLinks(folder())).toEqual([...broken, 'gone.png'].map((target) => `a/index.html: ${target}`));
});

const pictures = [...files.keys()].filter((place) => /\.(?:png|webp|svg)$/.test(place));

test('every image is used on a page, with an alternative text of at least three words', () => {
  const all = ['README.md', ...files.values()]
    .filter((path) => path.endsWith('.md'))
    .flatMap((path) => [...readFileSync(join(ROOT, path), 'utf8').matchAll(/!\[([^\]]+)\]\(([^)]+)\)/g)])
    .filter(([, description = '']) => description.split(' ').length > 2)
    .map(([, , target = '']) => posix.basename(target));
  const shown = new Set(all);
  expect(pictures.length).toBeGreaterThan(15);
  expect(pictures.filter((place) => !shown.has(posix.basename(place)))).toEqual([]);
});
