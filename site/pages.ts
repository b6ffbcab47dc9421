import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { replaceLinks, titleOf } from './markdown.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Pages from outside `docs/`, by their path on the site. */
export const ADDED_PAGES: Readonly<Record<string, string>> = {
  'architecture.md': 'ARCHITECTURE.md',
  'changelog.md': 'CHANGELOG.md',
  'contributing.md': '.github/CONTRIBUTING.md',
  'security.md': '.github/SECURITY.md',
};

/** Repository files by their path on the site: pages, and the files that they show. */
export function siteFiles(): Map<string, string> {
  const files = readdirSync(join(ROOT, 'docs'), { recursive: true })
    .map((name) => String(name).replaceAll('\\', '/'))
    .filter((name) => statSync(join(ROOT, 'docs', name)).isFile())
    .sort();
  return new Map([...files.map((name) => [name, `docs/${name}`] as const), ...Object.entries(ADDED_PAGES)]);
}

/** Prepares a page for the site: links to files that are not on the site lead to the repository. */
export function pageText(place: string, files: ReadonlyMap<string, string>, repository: string): string {
  const source = files.get(place) ?? place;
  const places = new Map([...files].map(([at, path]) => [path, at]));
  return replaceLinks(readFileSync(join(ROOT, source), 'utf8'), (target) => {
    if (/^(?:[a-z]+:|#)/.test(target)) return target;
    const [path = '', anchor] = target.split('#');
    const suffix = anchor === undefined ? '' : `#${anchor}`;
    const wanted = posix.join(dirname(source), path).replace(/\/$/, '');
    const found = places.get(wanted);
    if (found !== undefined) return relativeTo(place, found) + suffix;
    const kind = isFolder(wanted) ? 'tree' : 'blob';
    return `${repository.replace('{kind}', kind)}/${wanted}${suffix}`;
  });
}

/** The decisions with their titles, newest first. */
export function decisionItems(): [text: string, page: string][] {
  return readdirSync(join(ROOT, 'docs/decisions'))
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name): [string, string] => [
      titleOf(readFileSync(join(ROOT, 'docs/decisions', name), 'utf8')),
      `decisions/${name}`,
    ])
    .toReversed();
}

const isFolder = (path: string): boolean =>
  existsSync(join(ROOT, path)) && statSync(join(ROOT, path)).isDirectory();

function relativeTo(place: string, target: string): string {
  const path = posix.relative(posix.dirname(place), target);
  return path.startsWith('.') ? path : `./${path}`;
}
