import { globSync } from 'node:fs';
import { readOwnText, repositoryFile } from '../../adapters/own-files.ts';

const FOLDER = 'python';

/** The files of the Python package by their paths in a wheel, in alphabetical order. */
export function pythonSources(): ReadonlyMap<string, string> {
  const paths = globSync('encoderfile/**/{*.py,py.typed}', { cwd: repositoryFile(FOLDER) })
    .map((path) => path.replaceAll('\\', '/'))
    .sort();
  if (paths.length === 0) throw new Error('the sources of the Python package are missing');
  return new Map(paths.map((path) => [path, readOwnText(`${FOLDER}/${path}`)]));
}
