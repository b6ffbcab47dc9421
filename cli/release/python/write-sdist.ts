import { join } from 'node:path';
import { PLATFORMS, shortName } from '#contract/platforms.ts';
import { readOwnText } from '../../adapters/own-files.ts';
import { fillTemplate } from '../fill-template.ts';
import { writeTarball } from '../write-tarball.ts';
import { metadataText, type PythonFacts, pythonVersion, REQUIRES_PYTHON } from './metadata.ts';
import { pythonSources } from './sources.ts';

/**
 * Writes the source distribution. Installers choose it on platforms without a wheel. It cannot be built into a wheel, because the build
 * tool is not written in Python, so its build backend reports the platforms that have wheels.
 */
export async function writeSdist(facts: PythonFacts, folder: string): Promise<void> {
  const base = `${facts.name}-${pythonVersion(facts.version)}`;
  const values = {
    name: facts.name,
    version: pythonVersion(facts.version),
    python: REQUIRES_PYTHON,
    platforms: PLATFORMS.map(shortName).join(', '),
    homepage: facts.homepage,
  };
  const texts = new Map([
    ['PKG-INFO', metadataText(facts, ['LICENSE'])],
    ['LICENSE', readOwnText('LICENSE')],
    ['README.md', fillTemplate(readOwnText('python/README.md'), { homepage: facts.homepage })],
    ['pyproject.toml', fillTemplate(readOwnText('templates/release/python/pyproject.toml'), values)],
    ['no_build.py', fillTemplate(readOwnText('templates/release/python/no_build.py'), values)],
    ...pythonSources(),
  ]);
  await writeTarball({ file: join(folder, `${base}.tar.gz`), prefix: base, files: texts });
}
