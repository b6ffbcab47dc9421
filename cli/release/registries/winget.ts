import { stringify } from 'yaml';
import { downloadsFor, ownerOf, pascalName, type RegistryEntry, type RegistryFiles } from './entry.ts';

/** The version of the manifest format. Later versions add nothing that a single executable needs. */
const FORMAT = '1.10.0';
const LOCALE = 'en-US';

/** The three manifests of a version, in the folder of winget-pkgs that belongs to it. */
export function wingetFiles(entry: RegistryEntry): RegistryFiles {
  const { facts, version, homepage, license } = entry;
  const downloads = downloadsFor(entry, 'win32');
  if (downloads.length === 0) return {};
  const owner = ownerOf(entry);
  const publisher = owner.replace(/^\w/, (letter) => letter.toUpperCase());
  const name = pascalName(facts);
  const identifier = `${publisher}.${name}`;
  const package_ = { PackageIdentifier: identifier, PackageVersion: version };
  const manifests = {
    version: { ...package_, DefaultLocale: LOCALE },
    installer: {
      ...package_,
      InstallerType: 'portable',
      Commands: [facts.program],
      Installers: downloads.map(({ platform, url, sha256 }) => ({
        Architecture: platform.cpu,
        InstallerUrl: url,
        InstallerSha256: sha256.toUpperCase(),
      })),
    },
    defaultLocale: {
      ...package_,
      PackageLocale: LOCALE,
      Publisher: owner,
      PublisherUrl: new URL('.', homepage).href.replace(/\/$/, ''),
      PublisherSupportUrl: `${homepage}/issues`,
      PackageName: facts.program,
      PackageUrl: homepage,
      License: license,
      LicenseUrl: `${homepage}/blob/main/LICENSE`,
      ShortDescription: facts.description,
      Moniker: facts.program,
      ReleaseNotesUrl: `${homepage}/blob/main/CHANGELOG.md`,
    },
  };
  const folder = `winget-pkgs/manifests/${identifier.slice(0, 1).toLowerCase()}/${publisher}/${name}/${version}`;
  const suffixes = { version: '', installer: '.installer', defaultLocale: `.locale.${LOCALE}` };
  return Object.fromEntries(
    Object.entries(manifests).map(([type, manifest]) => [
      `${folder}/${identifier}${suffixes[type as keyof typeof suffixes]}.yaml`,
      `# yaml-language-server: $schema=https://aka.ms/winget-manifest.${type}.${FORMAT}.schema.json\n\n` +
        stringify({ ...manifest, ManifestType: type, ManifestVersion: FORMAT }, { lineWidth: 0 }),
    ]),
  );
}
