import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** Statistics about the structure of the sources, computed without running them. */
export interface Counts {
  readonly files: number;
  readonly lines: number;
  readonly shareOfLongFiles: number;
  readonly crumbs: number;
  readonly exports: number;
  readonly repeatedExports: number;
}

const LONG = 200;

/** Manually written product files: programs, build tool and pages, without generated code. */
export function countSources(root: string): Counts {
  const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n');
  const isProduct = (file: string): boolean =>
    /^(?:runtime|cli)\/(?!gen\/).*\.(?:ts|js|mjs|css|html|py)$/.test(file);
  const products = tracked.filter(isProduct);
  const texts = new Map(
    tracked
      .filter((file) => isProduct(file) || /^test\/.*\.ts$/.test(file))
      .map((file) => [file, readFileSync(join(root, file), 'utf8')]),
  );
  const linesOf = (file: string): number => (texts.get(file) ?? '').split('\n').length - 1;
  const lines = products.reduce((sum, file) => sum + linesOf(file), 0);
  const long = products.map(linesOf).filter((count) => count > LONG);
  const importers = importersOf(texts, aliasesOf(root));
  const crumbs = products.filter((file) => {
    const [only, ...others] = [...(importers.get(file) ?? [])];
    const isAlone = only !== undefined && others.length === 0;
    return file.endsWith('.ts') && isAlone && posix.dirname(only) === posix.dirname(file);
  });
  const names = new Map<string, number>();
  for (const file of products.filter((name) => name.endsWith('.ts'))) {
    for (const name of exportsOf(texts.get(file) ?? '')) names.set(name, (names.get(name) ?? 0) + 1);
  }
  return {
    files: products.length,
    lines,
    shareOfLongFiles: long.reduce((sum, count) => sum + count, 0) / lines,
    crumbs: crumbs.length,
    exports: names.size,
    repeatedExports: [...names.values()].filter((count) => count > 1).length,
  };
}

const exportsOf = (text: string): ReadonlySet<string> =>
  new Set(
    [
      ...text.matchAll(
        /^export (?:declare )?(?:abstract )?(?:async )?(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm,
      ),
    ].map(([, name = '']) => name),
  );

function aliasesOf(root: string): readonly (readonly [string, string])[] {
  const { imports = {} }: { imports?: Record<string, string> } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );
  return Object.entries(imports).map(([alias, path]) => [alias.slice(0, -1), path.slice(2, -1)]);
}

function importersOf(
  texts: ReadonlyMap<string, string>,
  aliases: readonly (readonly [string, string])[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const importers = new Map<string, Set<string>>();
  for (const [file, text] of texts) {
    for (const [, name = ''] of text.matchAll(/(?:from|import|URL)\s*\(?\s*'((?:\.|#)[^']+)'/g)) {
      const [alias, folder] = aliases.find(([start]) => name.startsWith(start)) ?? [];
      const target =
        alias === undefined
          ? posix.join(posix.dirname(file), name)
          : posix.join(folder ?? '', name.slice(alias.length));
      importers.set(target, (importers.get(target) ?? new Set()).add(file));
    }
  }
  return importers;
}
