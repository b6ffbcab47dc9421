import { aurFiles } from './aur.ts';
import { condaFiles } from './conda.ts';
import { dockerHubFiles } from './docker-hub.ts';
import type { RegistryEntry, RegistryFiles } from './entry.ts';
import { homebrewFiles } from './homebrew.ts';
import { asdfFiles, miseFiles } from './mise.ts';
import { nixFiles } from './nix.ts';
import { scoopFiles } from './scoop.ts';
import { wingetFiles } from './winget.ts';

/** A registry's files for a program; none if the registry does not contain the program or any of the released platforms. */
const REGISTRIES: readonly ((entry: RegistryEntry) => RegistryFiles)[] = [
  homebrewFiles,
  scoopFiles,
  wingetFiles,
  nixFiles,
  aurFiles,
  condaFiles,
  miseFiles,
  asdfFiles,
  dockerHubFiles,
];

/** The files with which a released program is submitted to registries. */
export const registryFiles = (entry: RegistryEntry): RegistryFiles =>
  Object.assign({}, ...REGISTRIES.map((files) => files(entry))) as RegistryFiles;
