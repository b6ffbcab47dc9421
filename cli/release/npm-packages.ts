import { chmod, link, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { create } from 'tar';
import { type Platform, PLATFORMS } from '#contract/platforms.ts';
import { readOwnText } from '../adapters/own-files.ts';
import { platformPackage } from '../packaging/base/platform-package.ts';
import { fillTemplate } from './fill-template.ts';
import type { ProgramFacts } from './programs.ts';

/** What all packages of a program have in common. */
export interface PackageInput {
  readonly facts: ProgramFacts;
  readonly version: string;
  readonly homepage: string;
  /** License notices of the executable. */
  readonly notices: string;
  /** Folder for the packages. */
  readonly folder: string;
}

/** Writes the package that users install: the command, which starts the executable of a platform package. */
export async function writeMainPackage(input: PackageInput): Promise<void> {
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
    },
    texts: {
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
      // An executable inside a zip archive, where yarn keeps packages, cannot be started.
      preferUnplugged: true,
    },
    texts: { 'NOTICES.txt': input.notices },
    executable: { path, source: executable },
  });
}

interface PackageContent {
  /** Members of package.json in addition to those of every package. */
  readonly manifest: object;
  readonly texts: Readonly<Record<string, string>>;
  readonly executable?: { readonly path: string; readonly source: string };
}

async function writePackage(
  { facts, version, homepage, folder }: PackageInput,
  name: string,
  { manifest, texts, executable }: PackageContent,
): Promise<void> {
  const packageJson = {
    name,
    version,
    description: facts.description,
    license: 'Apache-2.0',
    homepage,
    ...manifest,
  };
  const all: Record<string, string> = {
    'package.json': `${JSON.stringify(packageJson, undefined, 2)}\n`,
    LICENSE: readOwnText('LICENSE'),
    'README.md': fillTemplate(readOwnText('templates/release/readme.md'), {
      name,
      description: `${facts.description}.`,
      homepage,
    }),
    ...texts,
  };
  const base = `${name.replace(/^@/, '').replace('/', '-')}-${version}`;
  const staging = join(folder, `.${base}`);
  try {
    for (const [path, text] of Object.entries(all)) {
      const file = join(staging, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
      await chmod(file, path.startsWith('bin/') ? 0o755 : 0o644);
    }
    if (executable) {
      const file = join(staging, executable.path);
      await mkdir(dirname(file), { recursive: true });
      await link(executable.source, file);
    }
    const files = [...Object.keys(all), ...(executable ? [executable.path] : [])];
    // Without owners and with one time for all files, the same content results in the same archive.
    await create(
      {
        file: join(folder, `${base}.tgz`),
        cwd: staging,
        gzip: true,
        portable: true,
        prefix: 'package',
        mtime: PACKED,
      },
      files,
    );
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** The time that npm gives to all files of a package. */
const PACKED = new Date('1985-10-26T08:15:00Z');
