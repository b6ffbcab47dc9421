import { lookup } from '#core/values/lookup.ts';
import { readdirSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { extname, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readTextAsset, textAssetNames } from '#platform/text-asset.ts';
import { withoutWarning } from '#platform/without-warning.ts';

/** The files of a page, by the path under which browsers request them. */
export interface PageFiles {
  readonly names: () => readonly string[];
  /** The text of a file, as browsers receive it. Each file is read once. */
  readonly read: (name: string) => string;
}

/** Content types of page files. Browsers receive modules as JavaScript. */
export const PAGE_TYPES = lookup<string>({
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
});

/**
 * Returns the files of a page. When running from source, they are read from the page's folder, so
 * that new files do not have to be registered. In an executable, they are assets, with one bundle
 * per page instead of its modules. `room` is the path below `runtime/` of the folder's parent.
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
 * Converts a module to JavaScript in which lines and columns are the same as in the TypeScript
 * source. Browsers receive all page files from one folder, so imports from other folders are
 * converted to relative imports.
 */
function scriptOf(source: string, name: string): string {
  const code = withoutWarning(() => stripTypeScriptTypes(source));
  const folder = posix.dirname(name);
  return code.replaceAll(IMPORT, (_, words: string, room: string | undefined, path: string) => {
    const own = posix.relative(folder, room === undefined ? posix.join(folder, path) : path);
    return `${words}'${own.startsWith('.') ? own : `./${own}`}.js'`;
  });
}

/** An import in a page module: the other folder (`room`), if there is one, and the path. */
const IMPORT = /(\bfrom |\bimport |\bimport\()'(?:(#[^']*)\/browser\/|(?=\.))([^']+)\.ts'/g;

/** Files that all programs' pages share. docs/design-language.md describes them. */
export const SHARED_FILES = pageFiles('serve/http/pages', new URL('browser/', import.meta.url));
