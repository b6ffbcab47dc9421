import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

const LINK = /<(?:a|link|img|script|iframe)\b[^>]*?\s(?:href|src)="([^"]*)"/g;
const ANCHOR = /\sid="([^"]*)"/g;

/**
 * Links in a built site that lead to a missing file or anchor, each with its page. Links to other
 * hosts are not checked.
 */
export function brokenLinks(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true }).map((name) => String(name).replaceAll('\\', '/'));
  const files = new Set(names);
  const pages = new Map(
    names
      .filter((name) => name.endsWith('.html'))
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')] as const),
  );
  const anchors = new Map([...pages].map(([name, html]) => [name, valuesOf(html, ANCHOR)] as const));
  return [...pages].flatMap(([page, html]) =>
    [...valuesOf(html, LINK)]
      .filter((target) => !/^(?:[a-z][a-z+.-]*:|\/\/)/i.test(target) && target !== '')
      .filter((target) => {
        const [path = '', anchor = ''] = target.split('#');
        const place = path === '' ? page : posix.join(posix.dirname(page), decodeURI(path));
        const file = files.has(posix.join(place, 'index.html')) ? posix.join(place, 'index.html') : place;
        const found = files.has(file);
        return !found || (anchor !== '' && anchors.get(file)?.has(decodeURIComponent(anchor)) === false);
      })
      .map((target) => `${page}: ${target}`),
  );
}

const valuesOf = (html: string, pattern: RegExp): Set<string> =>
  new Set([...html.matchAll(pattern)].map(([, value = '']) => value.replaceAll('&amp;', '&')));
