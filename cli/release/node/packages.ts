import { join } from 'node:path';
import { platformPackage } from '#contract/platform-package.ts';
import { type Platform, PLATFORMS } from '#contract/platforms.ts';
import { readOwnText } from '../../adapters/own-files.ts';
import { fillTemplate } from '../fill-template.ts';
import type { ProgramFacts } from '../programs.ts';
import { writeTarball } from '../write-tarball.ts';
import { type Library, LIBRARY_MANIFEST } from './library.ts';

/** Facts that all packages of a program share. */
export interface PackageInput {
  readonly facts: ProgramFacts;
  readonly version: string;
  readonly homepage: string;
  /** License notices for the software in the executable. */
  readonly notices: string;
  /** Folder to which the packages are written. */
  readonly folder: string;
}

/**
 * Writes the package that users install. Its command starts the executable from a platform package. The
 * package of the build tool is also a library.
 */
export async function writeMainPackage(input: PackageInput, library: Library | undefined): Promise<void> {
  const { facts, version } = input;
  const { program, packageName } = facts;
  const packages = PLATFORMS.map((platform) => ({ platform, ...platformPackage(program, platform) }));
  const entries = packages.map(({ platform: { os, cpu }, name, path }) => [
    `${os}-${cpu}`,
    `${name}/${path}`,
  ]);
  await writePackage(input, packageName, {
    manifest: {
      bin: { [program]: `bin/${program}.js` },
      engines: { node: '>=14' },
      optionalDependencies: Object.fromEntries(packages.map(({ name }) => [name, version])),
      ...(library && LIBRARY_MANIFEST),
    },
    files: {
      ...(library && { ...Object.fromEntries(library), 'NOTICES.txt': input.notices }),
      [`bin/${program}.js`]: fillTemplate(readOwnText('templates/release/launcher.js'), {
        program,
        packages: JSON.stringify(Object.fromEntries(entries), undefined, 2),
      }),
    },
  });
}

/** Writes the package with the executable for one platform. */
export async function writePlatformPackage(
  input: PackageInput,
  platform: Platform,
  executable: string,
): Promise<void> {
  const { name, path } = platformPackage(input.facts.program, platform);
  await writePackage(input, name, {
    manifest: {
      os: [platform.os],
      cpu: [platform.cpu],
      ...(platform.os === 'linux' ? { libc: ['glibc'] } : {}),
      // Makes yarn unpack the package: by default, it keeps packages in zip archives, from which
      // executables cannot be started.
      preferUnplugged: true,
    },
    files: { 'NOTICES.txt': input.notices },
    executable: { path, source: executable },
  });
}

interface PackageContent {
  /** Members of package.json in addition to the common ones. */
  readonly manifest: object;
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  readonly executable?: { readonly path: string; readonly source: string };
}

async function writePackage(
  { facts, version, homepage, folder }: PackageInput,
  name: string,
  { manifest, files, executable }: PackageContent,
): Promise<void> {
  const packageJson = {
    name,
    version,
    description: facts.description,
    license: 'Apache-2.0',
    homepage,
    ...manifest,
  };
  const all: Record<string, string | Uint8Array> = {
    'package.json': `${JSON.stringify(packageJson, undefined, 2)}\n`,
    LICENSE: readOwnText('LICENSE'),
    'README.md': fillTemplate(readOwnText('templates/release/readme.md'), {
      name,
      description: `${facts.description}.`,
      homepage,
    }),
    ...files,
  };
  const base = `${name.replace(/^@/, '').replace('/', '-')}-${version}`;
  await writeTarball({
    file: join(folder, `${base}.tgz`),
    prefix: 'package',
    files: new Map(Object.entries(all)),
    ...(executable ? { executable } : {}),
  });
}
