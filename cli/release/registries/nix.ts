import { readOwnText } from '../../adapters/own-files.ts';
import { fillTemplate } from '../fill-template.ts';
import { downloadsFor, type RegistryEntry, type RegistryFiles, sharedName } from './entry.ts';

const SYSTEMS = { linux: 'linux', darwin: 'darwin' } as const;
const PROCESSORS = { x64: 'x86_64', arm64: 'aarch64' } as const;

/** A package for nixpkgs, in the folder for its name. */
export function nixFiles(entry: RegistryEntry): RegistryFiles {
  const { facts, version, homepage, license } = entry;
  const name = sharedName(facts);
  const downloads = downloadsFor(entry, 'linux', 'darwin');
  if (downloads.length === 0) return {};
  const sources = downloads.map(({ platform: { os, cpu }, url, sha256 }) =>
    [
      `    ${PROCESSORS[cpu]}-${SYSTEMS[os as keyof typeof SYSTEMS]} = {`,
      `      url = "${url}";`,
      `      hash = "sha256-${Buffer.from(sha256, 'hex').toString('base64')}";`,
      '    };',
    ].join('\n'),
  );
  const text = fillTemplate(readOwnText('templates/release/registries/package.nix'), {
    name,
    program: facts.program,
    version,
    homepage,
    license,
    description: facts.description,
    sources: sources.join('\n'),
  });
  return { [`nixpkgs/pkgs/by-name/${name.slice(0, 2)}/${name}/package.nix`]: text };
}
