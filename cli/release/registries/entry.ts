import { type Platform, shortName } from '#contract/platforms.ts';
import { executableName, type ProgramFacts } from '../programs.ts';

/** The facts about one program in a release, from which its files for all registries are derived. */
export interface RegistryEntry {
  readonly facts: ProgramFacts;
  readonly version: string;
  /** SPDX identifier. */
  readonly license: string;
  /** The GitHub repository. */
  readonly homepage: string;
  /** URL of the folder that contains the release files. */
  readonly url: string;
  /** SHA-256 of the executable for each platform. */
  readonly hashes: ReadonlyMap<Platform, string>;
  /** SHA-256 of the file with the license notices. */
  readonly noticesHash: string;
}

/** Content by path, relative to the folder of all registries. Files in `bin` are executable. */
export type RegistryFiles = Readonly<Record<string, string>>;

/** A file of the release. */
export interface Download {
  readonly name: string;
  readonly url: string;
  readonly sha256: string;
}

export interface ExecutableDownload extends Download {
  readonly platform: Platform;
  /** Short name of the platform, for example `linux-x64`. */
  readonly system: string;
}

/** The executables for the platforms of an operating system. */
export const downloadsFor = (
  { facts, url, hashes }: RegistryEntry,
  ...systems: readonly Platform['os'][]
): ExecutableDownload[] =>
  [...hashes]
    .filter(([{ os }]) => systems.includes(os))
    .map(([platform, sha256]) => {
      const name = executableName(facts.program, platform);
      return { name, url: `${url}/${name}`, sha256, platform, system: shortName(platform) };
    });

/** The license notices for the software in the executables. */
export const noticesDownload = ({ facts, url, noticesHash }: RegistryEntry): Download => {
  const name = noticesName(facts);
  return { name, url: `${url}/${name}`, sha256: noticesHash };
};

export const noticesName = ({ program }: ProgramFacts): string => `NOTICES-${program}.txt`;

/** The program's name in registries that contain packages of many projects, for example `encoderfile-gateway`. */
export const sharedName = ({ packageName }: ProgramFacts): string =>
  packageName.replace(/^@/, '').replace('/', '-');

/** The program's name in Pascal case, for example `McpManager`. */
export const pascalName = ({ program }: ProgramFacts): string =>
  program.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The URL of the release files with a placeholder for the version, for registries that find new versions themselves. */
export const urlOfVersion = ({ url, version }: RegistryEntry, placeholder: string): string =>
  url.replace(version, () => placeholder);

/** Owner and name of the repository, for example `encoderfile/encoderfile`. */
export const repositoryOf = ({ homepage }: RegistryEntry): string => new URL(homepage).pathname.slice(1);

/** The GitHub user or organization that owns the repository. */
export const ownerOf = (entry: RegistryEntry): string => repositoryOf(entry).split('/')[0] ?? '';
