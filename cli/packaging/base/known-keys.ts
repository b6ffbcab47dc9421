import { readdirSync, statSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseJsonText } from '#core/json/json-text.ts';
import { temporaryPath } from '#platform/files/temporary.ts';
import { sha256 } from '#platform/sha256.ts';
import { repositoryFile } from '../../adapters/own-files.ts';

/** The inputs of a base runtime: the code of the builder and of the runtime, and the installed packages. */
const SOURCES = [
  'cli',
  'runtime',
  'package.json',
  'package-lock.json',
  'node_modules/.package-lock.json',
] as const;

/**
 * Returns the key of a base runtime from the cache if no source file has changed since the key was
 * computed. Computing a key requires bundling the whole program, which takes longer than the rest
 * of a build.
 */
export async function knownKey(
  cacheDir: string,
  triple: string,
  compute: () => Promise<string>,
  repository = repositoryFile('.'),
): Promise<string> {
  const path = join(cacheDir, 'keys', `${triple}-${sha256(repository).slice(0, 16)}.json`);
  const state = stateOfSources(repository);
  const known = await readEntry(path);
  if (known?.state === state) return known.key;
  const key = await compute();
  await writeEntry(path, { state, key });
  return key;
}

interface Entry {
  readonly state: string;
  readonly key: string;
}

async function readEntry(path: string): Promise<Entry | undefined> {
  try {
    return parseJsonText(await readFile(path, 'utf8')) as Entry;
  } catch {
    // A missing or corrupted entry is written again.
    return undefined;
  }
}

async function writeEntry(path: string, entry: Entry): Promise<void> {
  const unfinished = temporaryPath(path);
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(unfinished, JSON.stringify(entry));
    await rename(unfinished, path);
  } catch {
    // If the cache is read-only, the key is computed in every build. If a base runtime is missing,
    // too, the attempt to write it reports the reason.
    await rm(unfinished, { force: true }).catch(() => {});
  }
}

/**
 * A hash of the names, sizes and modification times of the source files: reading the files would
 * take as long as bundling them.
 */
export function stateOfSources(repository = repositoryFile('.')): string {
  const files: string[] = [];
  const visit = (path: string): void => {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory()) {
      for (const name of readdirSync(path).sort()) visit(join(path, name));
    } else if (found) files.push(`${path}\0${found.size}\0${found.mtimeMs}`);
  };
  for (const source of SOURCES) visit(join(repository, source));
  return sha256(files.join('\n'));
}
