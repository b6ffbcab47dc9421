import { readOwnText } from '../../adapters/own-files.ts';
import { fillTemplate } from '../fill-template.ts';
import {
  downloadsFor,
  type RegistryEntry,
  type RegistryFiles,
  repositoryOf,
  sharedName,
  urlOfVersion,
} from './entry.ts';

/** The file names of executables in a release, in mise's template language. */
const miseAsset = (program: string): string =>
  `${program}-{{ os() }}-{{ arch() }}{% if os() == 'windows' %}.exe{% endif %}`;

/** An entry for mise's registry. Options are strings of TOML, in which JSON strings are valid. */
export function miseFiles(entry: RegistryEntry): RegistryFiles {
  const { program, description, packageName } = entry.facts;
  const text = `version_order = "semver"
description = ${JSON.stringify(description)}
test = { cmd = "${program} version", expected = "${program} {{version}}" }
bins = ["${program}"]

[[backends]]
full = "github:${repositoryOf(entry)}"

[backends.options]
asset_pattern = ${JSON.stringify(miseAsset(program))}
bin = "${program}"

[[backends]]
full = "npm:${packageName}"
`;
  return { [`mise/registry/${sharedName(entry.facts)}.toml`]: text };
}

/** A plugin for asdf, whose scripts list the versions, and download and install one. It is the same for all versions. */
export function asdfFiles(entry: RegistryEntry): RegistryFiles {
  if (downloadsFor(entry, 'linux', 'darwin').length === 0) return {};
  const { program } = entry.facts;
  const values = { program, homepage: entry.homepage, url: urlOfVersion(entry, '$version') };
  const folder = `asdf-${sharedName(entry.facts)}/bin`;
  return Object.fromEntries(
    ['list-all', 'download', 'install'].map((script) => [
      `${folder}/${script}`,
      fillTemplate(readOwnText(`templates/release/registries/asdf/${script}`), values),
    ]),
  );
}
