import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { parseJsonText } from '#core/json/json-text.ts';

/**
 * Text files of this repository by path. The bundler defines this name in the one-file program
 * (cli/packaging/base/build-tool.ts); it does not exist when running from source.
 */
declare const ENCODERFILE_TEXTS: Readonly<Record<string, string>>;

/** Key of the license notices in `ENCODERFILE_TEXTS`. They are compressed with zstd and encoded in base64. */
export const NOTICES_TEXT = 'NOTICES';

const carriedTexts = (): Readonly<Record<string, string>> | undefined =>
  typeof ENCODERFILE_TEXTS === 'undefined' ? undefined : ENCODERFILE_TEXTS;

/** Whether this is the one-file program, which runs without the repository and its packages. */
export const isOneFile = (): boolean => carriedTexts() !== undefined;

/** Returns the path of a file of this repository from its relative path. */
export const repositoryFile = (path: string): string =>
  fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** Reads a text file of this repository, for example a template, from its relative path. */
export function readOwnText(path: string): string {
  const texts = carriedTexts();
  if (texts === undefined) return readFileSync(repositoryFile(path), 'utf8');
  const text = texts[path];
  if (text === undefined) throw new Error(`${path} is not part of this program`);
  return text;
}

/** Starts a thread from its entry file in this repository. */
export function spawnThread(entry: string, workerData: unknown): Worker {
  return isOneFile()
    ? new Worker(readOwnText(entry), { eval: true, workerData })
    : new Worker(repositoryFile(entry), { workerData });
}

/** Returns the folder of an installed package; undefined if it is not installed. */
export function packageFolder(name: string): string | undefined {
  try {
    return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
  } catch {
    return undefined;
  }
}

export function packageVersion(name: string): string {
  const folder = packageFolder(name);
  if (!folder) throw new Error(`${name} is not installed`);
  return versionIn(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** Returns the version of encoderfile itself. */
export const ownVersion = (): string => versionIn(readOwnText('package.json'));

const versionIn = (json: string): string => (parseJsonText(json) as { version: string }).version;
