import type { Platform } from '#contract/platforms.ts';
import { readOwnText } from '../../adapters/own-files.ts';
import { fillTemplate } from '../fill-template.ts';
import { minimumSystem } from '../minimum-systems.ts';

/** Facts about a Python distribution, for its metadata. */
export interface PythonFacts {
  /** Name on PyPI. */
  readonly name: string;
  readonly summary: string;
  /** Version in the form of package.json. */
  readonly version: string;
  readonly homepage: string;
}

/** Oldest Python version that the package runs on. `test/python` runs its tests on this version. */
export const REQUIRES_PYTHON = '>=3.9';

const PROCESSORS = { x64: 'x86_64', arm64: 'aarch64' } as const;

/** The tag of a wheel for a platform. The Python code in it runs on any Python 3. */
export const wheelTag = (platform: Platform): string => `py3-none-${platformTag(platform)}`;

function platformTag(platform: Platform): string {
  const { glibc, macos } = minimumSystem(platform);
  if (glibc !== undefined) return `manylinux_${glibc.replace('.', '_')}_${PROCESSORS[platform.cpu]}`;
  return macos === undefined ? 'win_amd64' : `macosx_${macos.replace('.', '_')}_${platform.cpu}`;
}

const PRERELEASES = /^(\d+\.\d+\.\d+)(?:-(alpha|beta|rc)\.(\d+))?$/;

/** Converts a version of package.json to the form of PEP 440, for example 1.2.0-rc.1 to 1.2.0rc1. conda and pacman sort this form correctly, too. */
export function pythonVersion(version: string): string {
  const [, release, stage, number] = PRERELEASES.exec(version) ?? [];
  if (release === undefined)
    throw new Error(
      `The version ${version} has no form for Python. Use 1.2.3, 1.2.3-alpha.1, -beta.1 or -rc.1.`,
    );
  if (stage === undefined) return release;
  return `${release}${stage === 'rc' ? 'rc' : stage.slice(0, 1)}${number}`;
}

const CLASSIFIERS = [
  'Development Status :: 4 - Beta',
  'Intended Audience :: Developers',
  'Operating System :: MacOS :: MacOS X',
  'Operating System :: Microsoft :: Windows',
  'Operating System :: POSIX :: Linux',
  'Programming Language :: Python :: 3',
  'Programming Language :: Python :: 3 :: Only',
  'Topic :: Scientific/Engineering :: Artificial Intelligence',
  'Topic :: Software Development :: Build Tools',
  'Typing :: Typed',
];

/** The files in the folder of licenses. */
export const LICENSE_FILES = ['LICENSE', 'NOTICES.txt'];

/** The text of METADATA in a wheel, and of PKG-INFO in a source distribution. */
export function metadataText(
  { name, summary, version, homepage }: PythonFacts,
  licenseFiles: readonly string[],
): string {
  const fields = [
    ['Metadata-Version', '2.4'],
    ['Name', name],
    ['Version', pythonVersion(version)],
    ['Summary', summary],
    ['License-Expression', 'Apache-2.0'],
    ...licenseFiles.map((file) => ['License-File', file]),
    ['Project-URL', `Homepage, ${homepage}`],
    ['Project-URL', `Documentation, ${homepage}/blob/main/docs/python.md`],
    ['Project-URL', `Changelog, ${homepage}/blob/main/CHANGELOG.md`],
    ['Keywords', 'embeddings,onnx,transformers,inference,encoder'],
    ...CLASSIFIERS.map((classifier) => ['Classifier', classifier]),
    ['Requires-Python', REQUIRES_PYTHON],
    ['Description-Content-Type', 'text/markdown; charset=UTF-8; variant=GFM'],
  ];
  const readme = fillTemplate(readOwnText('python/README.md'), { homepage });
  return `${fields.map(([field, value]) => `${field}: ${value}\n`).join('')}\n${readme}`;
}
