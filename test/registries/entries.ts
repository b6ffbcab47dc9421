import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJsonText } from '#core/json/json-text.ts';
import { PLATFORMS } from '#contract/platforms.ts';
import { noticesName, type RegistryEntry, type RegistryFiles } from '#cli/release/registries/entry.ts';
import { registryFiles } from '#cli/release/registries/registries.ts';
import { executableName, PROGRAMS } from '#cli/release/programs.ts';
import { ROOT } from '../helpers/paths.ts';

/** SHA-256 by file name of all files that are uploaded with a release, from its own list. */
export function releaseSums(release: string): ReadonlyMap<string, string> {
  const lines = readFileSync(join(release, 'SHA256SUMS'), 'utf8').trimEnd().split('\n');
  return new Map(lines.map((line) => [line.slice(66).replace(/^bin\//, ''), line.slice(0, 64)]));
}

/** The programs in the folder of a release. */
export function releaseEntries(release: string, url?: string): RegistryEntry[] {
  const facts = parseJsonText(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Facts;
  const sums = releaseSums(release);
  return PROGRAMS.map((program) => ({
    ...facts,
    url: url ?? `${facts.homepage}/releases/download/v${facts.version}`,
    facts: program,
    hashes: new Map(
      PLATFORMS.flatMap((platform) => {
        const hash = sums.get(executableName(program.program, platform));
        return hash === undefined ? [] : [[platform, hash] as const];
      }),
    ),
    noticesHash: sums.get(noticesName(program)) ?? '',
  }));
}

/** The files for all registries, with downloads from another URL. */
export const releaseFiles = (release: string, url?: string): RegistryFiles =>
  Object.assign({}, ...releaseEntries(release, url).map(registryFiles)) as RegistryFiles;

interface Facts {
  readonly version: string;
  readonly license: string;
  readonly homepage: string;
}
