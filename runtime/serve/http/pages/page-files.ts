import { readdirSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { extname, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readTextAsset, textAssetNames } from '#platform/text-asset.ts';
import { withoutWarning } from '#platform/without-warning.ts';

/** Files of a page, by the path that browsers know them by. */
export interface PageFiles {
  readonly names: () => readonly string[];
  /** The text of one of them, as browsers get it. Each one is read once. */
  readonly read: (name: string) => string;
}

/** Types of the files of pages. Browsers get modules as JavaScript. */
export const PAGE_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
};

/**
 * The files of a page, which are those of its folder: a new one is named nowhere else. In an executable they are the assets of
 * this room, among them one bundle for each page instead of its modules. `room` is the path of the folder's parent below `runtime/`.
 */
export function pageFiles(room: string, folder: URL): PageFiles {
  const prefix = `page/${room}/`;
  const texts = new Map<string, string>();
  let names: readonly string[] | undefined;
  const load = (name: string): string =>
    extname(name) === '.js'
      ? readTextAsset(prefix + name, new URL(name.replace(/js$/, 'ts'), folder), (source) =>
          scriptOf(source, name),
        )
      : readTextAsset(prefix + name, new URL(name, folder));
  return {
    names: () =>
      (names ??= textAssetNames(prefix)?.map((name) => name.slice(prefix.length)) ?? namesIn(folder)),
    read: (name) => {
      const text = texts.get(name) ?? load(name);
      texts.set(name, text);
      return text;
    },
  };
}

const namesIn = (folder: URL): readonly string[] =>
  readdirSync(fileURLToPath(folder), { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/').replace(/\.ts$/, '.js'))
    .filter((name) => extname(name) in PAGE_TYPES)
    .sort();

/**
 * The JavaScript of a module, with the lines and columns of its TypeScript. Browsers get the files of all rooms from one folder, so an
 * import from another room becomes a relative one.
 */
function scriptOf(source: string, name: string): string {
  const code = withoutWarning(() => stripTypeScriptTypes(source));
  const folder = posix.dirname(name);
  return code.replaceAll(IMPORT, (_, words: string, room: string | undefined, path: string) => {
    const own = posix.relative(folder, room === undefined ? posix.join(folder, path) : path);
    return `${words}'${own.startsWith('.') ? own : `./${own}`}.js'`;
  });
}

/** An import from a module of a page: its room, if it is another one, and its path. */
const IMPORT = /(\bfrom |\bimport |\bimport\()'(?:(#[^']*)\/browser\/|(?=\.))([^']+)\.ts'/g;

/** Files that the pages of all programs share. docs/design-language.md describes them. */
export const SHARED_FILES = pageFiles('serve/http/pages', new URL('browser/', import.meta.url));
