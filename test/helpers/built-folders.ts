import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import type { BuiltFolders } from './built.ts';
import { ROOT, TEST_CACHE } from './paths.ts';

/** Sources of every executable; each target adds its own. */
const SHARED_SOURCES = [
  'package-lock.json',
  'cli/**/*.{ts,mjs}',
  'runtime/{contract,core,gen,platform,serve,transform}/**/*.*',
  'templates/**/*.*',
  'proto/**/*.proto',
];

const SOURCES: Record<keyof BuiltFolders, readonly string[]> = {
  cli: ['test/helpers/bundle-cli.ts'],
  encoder: ['runtime/targets/encoder/**/*.*', 'fixtures/{models,transformed}/**/*.*'],
  manager: ['runtime/targets/manager/**/*.*'],
  gateway: ['runtime/targets/gateway/**/*.*'],
};

/** Names the folders for test executables, and removes those of older sources. */
export function setup(project: TestProject): void {
  const root = join(TEST_CACHE, 'built');
  mkdirSync(root, { recursive: true });
  const shared = hashOf(SHARED_SOURCES);
  const folderOf = (kind: keyof BuiltFolders): string => {
    const folder = `${kind}-${createHash('sha256').update(shared).update(hashOf(SOURCES[kind])).digest('hex').slice(0, 16)}`;
    keepNewest(root, kind, folder);
    return join(root, folder);
  };
  project.provide('built', {
    cli: folderOf('cli'),
    encoder: folderOf('encoder'),
    manager: folderOf('manager'),
    gateway: folderOf('gateway'),
  });
}

function hashOf(patterns: readonly string[]): string {
  const hash = createHash('sha256');
  for (const path of globSync([...patterns], { cwd: ROOT }).sort()) {
    if (statSync(join(ROOT, path)).isFile()) hash.update(`${path}\0`).update(readFileSync(join(ROOT, path)));
  }
  return hash.digest('hex');
}

/** Another run, started before the last edit, may still use the previous folder. */
function keepNewest(root: string, kind: string, current: string): void {
  mkdirSync(join(root, current), { recursive: true });
  const now = new Date();
  utimesSync(join(root, current), now, now);
  const folders = readdirSync(root)
    .filter((name) => name.startsWith(`${kind}-`))
    .map((name) => ({
      path: join(root, name),
      used: statSync(join(root, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
    }))
    .sort((a, b) => b.used - a.used);
  for (const { path } of folders.slice(2)) rmSync(path, { recursive: true, force: true });
}
