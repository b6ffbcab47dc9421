import { posix } from 'node:path';

/** Specifiers of static imports and exports from relative paths, even in minified code. */
const IMPORT = /(\bfrom\s*|\bimport\s*)(["'])(\.{1,2}\/[^"']+)\2/g;
/** Prefix of module names in the import map. */
const PREFIX = 'report/';

/**
 * The import map of a page that has no server: each module that the entry module needs is a data URL.
 * Relative imports do not work in data URLs, so they are replaced by names in the map.
 */
export function importMapOf(entry: string, read: (path: string) => string | undefined): string {
  const imports: Record<string, string> = {};
  const add = (path: string): void => {
    const name = PREFIX + path;
    if (Object.hasOwn(imports, name)) return;
    const source = read(path);
    // The match is not an import but a comment that looks like one.
    if (source === undefined) return;
    imports[name] = '';
    const code = source.replaceAll(IMPORT, (_, words: string, quote: string, relative: string) => {
      const target = posix.join(posix.dirname(path), relative);
      add(target);
      return `${words}${quote}${PREFIX}${target}${quote}`;
    });
    imports[name] = `data:text/javascript;base64,${Buffer.from(code).toString('base64')}`;
  };
  add(entry);
  return JSON.stringify({ imports });
}

/** A module's name in the import map. */
export const moduleName = (path: string): string => PREFIX + path;
