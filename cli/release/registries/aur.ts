import { readOwnText } from '../../adapters/own-files.ts';
import { fillTemplate } from '../fill-template.ts';
import { pythonVersion } from '../python/metadata.ts';
import {
  downloadsFor,
  noticesDownload,
  type RegistryEntry,
  type RegistryFiles,
  sharedName,
} from './entry.ts';

const PROCESSORS = { x64: 'x86_64', arm64: 'aarch64' } as const;

/**
 * A package for the AUR, and the summary that it requires next to the PKGBUILD. `-bin` is the suffix for packages with executables of a
 * release.
 */
export function aurFiles(entry: RegistryEntry): RegistryFiles {
  const { facts, homepage, license } = entry;
  const { program, description } = facts;
  const downloads = downloadsFor(entry, 'linux').map((download) => ({
    ...download,
    arch: PROCESSORS[download.platform.cpu],
  }));
  if (downloads.length === 0) return {};
  const name = `${sharedName(facts)}-bin`;
  // A version cannot contain a hyphen.
  const version = pythonVersion(entry.version);
  const notices = noticesDownload(entry);
  // Downloads of all versions are kept in one folder.
  const file = (suffix: string): string => `${program}-${version}-${suffix}`;
  const lists = [
    ['source', [`${file('notices.txt')}::${notices.url}`]],
    ['sha256sums', [notices.sha256]],
    ...downloads.flatMap(({ arch, url, sha256 }) => [
      [`source_${arch}`, [`${file(arch)}::${url}`]] as const,
      [`sha256sums_${arch}`, [sha256]] as const,
    ]),
  ] as const;
  const arches = downloads.map(({ arch }) => arch);
  const build = fillTemplate(readOwnText('templates/release/registries/PKGBUILD'), {
    name,
    version,
    program,
    description,
    homepage,
    license,
    arches: arches.join(' '),
    sources: lists.map(([list, values]) => `${list}=('${values.join("' '")}')`).join('\n'),
  });
  const fields = [
    ['pkgdesc', description],
    ['pkgver', version],
    ['pkgrel', '1'],
    ['url', homepage],
    ...arches.map((arch) => ['arch', arch]),
    ['license', license],
    ...['glibc', 'gcc-libs'].map((library) => ['depends', library]),
    ['provides', `${program}=${version}`],
    ['conflicts', program],
    ...['!strip', '!debug'].map((option) => ['options', option]),
    ...lists.flatMap(([list, values]) => values.map((value) => [list, value])),
  ];
  const summary = [
    `pkgbase = ${name}`,
    ...fields.map(([field, value]) => `\t${field} = ${value}`),
    '',
    `pkgname = ${name}`,
    '',
  ].join('\n');
  return { [`aur/${name}/PKGBUILD`]: build, [`aur/${name}/.SRCINFO`]: summary };
}
