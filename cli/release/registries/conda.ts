import { stringify } from 'yaml';
import type { Platform } from '#contract/platforms.ts';
import { minimumSystem } from '../minimum-systems.ts';
import { pythonVersion } from '../python/metadata.ts';
import { downloadsFor, noticesDownload, ownerOf, type RegistryEntry, type RegistryFiles } from './entry.ts';

const SYSTEMS = { linux: 'linux', darwin: 'osx', win32: 'win' } as const;
const PROCESSORS = {
  linux: { x64: 'x86_64', arm64: 'aarch64' },
  darwin: { arm64: 'arm64' },
  win32: { x64: 'x86_64' },
};

/**
 * A recipe for conda-forge in the format `recipe.yaml`, version 1, which copies the executable of the release. Relocation is disabled,
 * because the executable contains data after its code whose positions are fixed (docs/decisions/0205).
 */
export function condaFiles(entry: RegistryEntry): RegistryFiles {
  const { facts, version, homepage, license } = entry;
  const { program } = facts;
  if (program !== 'encoderfile') return {};
  const downloads = downloadsFor(entry, 'linux', 'darwin', 'win32');
  const notices = noticesDownload(entry);
  const recipe = {
    schema_version: 1,
    context: { version: pythonVersion(version) },
    package: { name: program, version: '${{ version }}' },
    source: [
      ...downloads.map(({ platform, url, sha256 }) =>
        when(selectorOf(platform), { url, sha256, file_name: `${program}${platform.exeSuffix}` }),
      ),
      { url: notices.url, sha256: notices.sha256, file_name: notices.name },
    ],
    build: {
      number: 0,
      skip: [downloads.map(({ platform }) => `not (${selectorOf(platform)})`).join(' and ')],
      script: [
        when(
          'unix',
          // macOS has no `install -D`.
          ['mkdir -p "$PREFIX/bin"', `install -m 755 ${program} "$PREFIX/bin/${program}"`],
          [
            'if not exist "%LIBRARY_BIN%" mkdir "%LIBRARY_BIN%"',
            `copy ${program}.exe "%LIBRARY_BIN%\\${program}.exe"`,
          ],
        ),
      ],
      dynamic_linking: { binary_relocation: false },
      prefix_detection: { ignore: true },
    },
    requirements: { run: downloads.flatMap(({ platform }) => requirementOf(platform)) },
    tests: [{ script: [`${program} version`] }],
    about: {
      homepage,
      license,
      license_file: notices.name,
      summary: facts.description,
      repository: homepage,
      documentation: `${homepage}/tree/main/docs`,
    },
    extra: { 'recipe-maintainers': [ownerOf(entry)] },
  };
  return { [`staged-recipes/recipes/${program}/recipe.yaml`]: stringify(recipe, { lineWidth: 0 }) };
}

/** A part of the recipe with a condition. The names are not literals, because an object with `then` can be mistaken for a promise. */
const when = (condition: string, ...branches: readonly unknown[]): object =>
  Object.fromEntries(
    ['if', 'then', 'else']
      .map((key, at) => [key, [condition, ...branches][at]])
      .slice(0, branches.length + 1),
  );

/** The recipe's condition for a platform. */
function selectorOf({ os, cpu }: Platform): string {
  const processors: Readonly<Partial<Record<Platform['cpu'], string>>> = PROCESSORS[os];
  const processor = processors[cpu];
  if (processor === undefined) throw new Error(`conda has no name for ${os}-${cpu}`);
  return `${SYSTEMS[os]} and ${processor}`;
}

/** The virtual package that represents the oldest supported system. */
function requirementOf(platform: Platform): object[] {
  const { glibc, macos } = minimumSystem(platform);
  if (glibc !== undefined) return [when(selectorOf(platform), `__glibc >=${glibc},<3.0.a0`)];
  return macos === undefined ? [] : [when(selectorOf(platform), `__osx >=${macos}`)];
}
