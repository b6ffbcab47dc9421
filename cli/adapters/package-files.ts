import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseJsonText } from '../../runtime/core/json/json-text.ts';

const require = createRequire(import.meta.url);

/** Returns the path of a file of this repository from its relative path. */
export const repositoryFile = (path: string): string =>
  fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** Returns the folder of an installed package; undefined if it is not installed. */
export function packageFolder(name: string): string | undefined {
  try {
    return dirname(require.resolve(`${name}/package.json`));
  } catch {
    return undefined;
  }
}

export function packageVersion(name: string): string {
  const folder = packageFolder(name);
  if (!folder) throw new Error(`${name} is not installed`);
  return versionIn(folder);
}

/** Returns the version of encoderfile itself. */
export const ownVersion = (): string => versionIn(repositoryFile('.'));

const versionIn = (folder: string): string =>
  (parseJsonText(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version;
