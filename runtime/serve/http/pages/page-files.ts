import { lookup } from '#core/values/lookup.ts';
import { readdirSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { extname, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readTextAsset, textAssetNames } from '#platform/text-asset.ts';
import { withoutWarning } from '#platform/without-warning.ts';

/** The files of a page, by the path that browsers request. */
export interface PageFiles {
  readonly names: () => readonly string[];
  /** The text of a file, as browsers receive it. Each file is read once. */
  readonly read: (name: string) => string;
}

/** Types of page files. Browsers receive modules as JavaScript. */
export const PAGE_TYPES = lookup<string>({
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
});

/**
 * The files of a page, read from its folder, so that a new file needs no registration. In an
 * executable they are the assets of this room, with one bundle per page instead of its modules.
 * `room` is the path of the folder's parent below `runtime/`.
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
 * A module's JavaScript, with the lines and columns of its TypeScript. Browsers receive the files
 * of all rooms from one folder, so an import from another room becomes relative.
 */
function scriptOf(source: string, name: string): string {
  const code = withoutWarning(() => stripTypeScriptTypes(source));
  const folder = posix.dirname(name);
  return code.replaceAll(IMPORT, (_, words: string, room: string | undefined, path: string) => {
    const own = posix.relative(folder, room === undefined ? posix.join(folder, path) : path);
    return `${words}'${own.startsWith('.') ? own : `./${own}`}.js'`;
  });
}

/** An import in a page module: its room, if it is a different one, and its path. */
const IMPORT = /(\bfrom |\bimport |\bimport\()'(?:(#[^']*)\/browser\/|(?=\.))([^']+)\.ts'/g;

/** Files that all programs' pages share. docs/design-language.md describes them. */
export const SHARED_FILES = pageFiles('serve/http/pages', new URL('browser/', import.meta.url));
