import { execFileSync } from 'node:child_process';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../helpers/paths.ts';

const PAGE = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
const SCRIPTS: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(join(ROOT, 'package.json'), 'utf8'),
).scripts;

/** The rows of the table below a heading, without its header. */
function rowsBelow(heading: string): string[][] {
  const section = PAGE.split(`\n## ${heading}`)[1]?.split('\n## ')[0] ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

const codeIn = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
const isPath = (code: string): boolean => /^[\w.<>*{},/-]+(?:\/|\.(?:ts|mjs|cjs|json|md|py))$/.test(code);
/** A path with placeholder names: `x.ts`, `<resource>`. */
const patternOf = (path: string): string =>
  path.replaceAll(/<\w+>/g, '*').replaceAll(/(?<=^|\/)x(?=[./]|$)/g, '*');
const exists = (pattern: string): boolean => globSync(pattern.replace(/\/$/, ''), { cwd: ROOT }).length > 0;

/** Whether a path exists at the root, or relative to an earlier path in the row or one of its parent folders. */
function existsFrom(path: string, earlier: readonly string[]): boolean {
  const pattern = patternOf(path);
  if (exists(pattern)) return true;
  return earlier.some((other) => {
    for (let folder = patternOf(other).replace(/\/$/, ''); folder !== '.'; folder = dirname(folder))
      if (exists(join(folder, pattern))) return true;
    return false;
  });
}

const places = rowsBelow('Where do I put');
const rooms = rowsBelow('Code map');

test('both tables are found', () => {
  expect(places.length).toBeGreaterThan(25);
  expect(rooms.length).toBeGreaterThan(18);
});

test.each(places)('the files for %s exist', (_change, ...cells) => {
  const named: string[] = [];
  const missing: string[] = [];
  for (const code of cells.flatMap(codeIn)) {
    const [, script] = /^npm run (\S+)$/.exec(code) ?? [];
    if (script !== undefined && SCRIPTS[script] === undefined) missing.push(code);
    if (!isPath(code)) continue;
    if (!existsFrom(code, named)) missing.push(code);
    named.push(code);
  }
  expect(missing).toEqual([]);
});

test.each(rooms)('all names in the row of %s exist', (folders = '', contents = '') => {
  const roots = codeIn(folders);
  expect(roots.filter((folder) => !exists(folder))).toEqual([]);
  const named = codeIn(contents).filter(isPath);
  expect(
    named.filter((path) => !exists(path) && !roots.some((root) => exists(join(root, '**', path)))),
  ).toEqual([]);
});

test('cited decisions and pages exist', () => {
  const decisions = new Set(
    readdirSync(join(ROOT, 'docs/decisions')).map((name) => `docs/decisions/${name.slice(0, 4)}`),
  );
  const files = execFileSync('git', ['ls-files', '*.ts', '*.mjs', '*.js', '*.md', '*.css', '*.yml'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const missing = files
    .trim()
    .split('\n')
    .filter((file) => !file.startsWith('fixtures/'))
    .flatMap((file) => {
      const text = readFileSync(join(ROOT, file), 'utf8');
      const cited = [...text.matchAll(/\bdocs\/decisions\/\d{4}/g)].map(([path]) => path);
      return cited.filter((path) => !decisions.has(path)).map((path) => `${file}: ${path}`);
    });
  expect(missing).toEqual([]);
  const pages = [...PAGE.matchAll(/\bdocs\/[\w/-]+\.md\b/g)].map(([path]) => path);
  expect(pages.length).toBeGreaterThan(3);
  expect(pages.filter((path) => !exists(path))).toEqual([]);
});
