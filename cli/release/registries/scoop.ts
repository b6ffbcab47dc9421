import { downloadsFor, type RegistryEntry, type RegistryFiles, urlOfVersion } from './entry.ts';

/** A manifest for a Scoop bucket. Scoop gives the download the name after `#/`. */
export function scoopFiles(entry: RegistryEntry): RegistryFiles {
  const { facts, version, homepage, license } = entry;
  const [download] = downloadsFor(entry, 'win32');
  if (!download) return {};
  const executable = `${facts.program}.exe`;
  const manifest = {
    version,
    description: facts.description,
    homepage,
    license: { identifier: license, url: `${homepage}/blob/main/LICENSE` },
    architecture: { '64bit': { url: `${download.url}#/${executable}`, hash: download.sha256 } },
    bin: executable,
    checkver: { github: homepage },
    autoupdate: {
      architecture: {
        '64bit': { url: `${urlOfVersion(entry, '$version')}/${download.name}#/${executable}` },
      },
      hash: { url: '$baseurl/SHA256SUMS' },
    },
  };
  return { [`scoop-bucket/bucket/${facts.program}.json`]: `${JSON.stringify(manifest, undefined, 4)}\n` };
}
