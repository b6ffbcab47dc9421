import { configError } from '#contract/errors.ts';
import { NODE_VERSION } from '#contract/platforms.ts';
import { ownVersion, packageFolder, repositoryFile } from '../../adapters/own-files.ts';
import { addedFolder, addedTexts, packageNotice } from './package-notice.ts';
import { bundledPackages } from './bundled-packages.ts';
import type { Notice } from './format-notices.ts';
import { readTexts } from './read-texts.ts';

/** Package with Lua as WebAssembly. */
export const LUA_PACKAGE = 'wasmoon';
/** Decoders of images in WebAssembly. */
const IMAGE_PACKAGES = ['@jsquash/jpeg', '@jsquash/webp'];

/**
 * Packages with the native libraries that run models. Their license files do not cover the software
 * that the libraries contain.
 */
export const NATIVE_PACKAGES: readonly string[] = [
  'onnxruntime-node',
  'tokenizers',
  LUA_PACKAGE,
  ...IMAGE_PACKAGES,
];

/** Collects the notices for a program: for this project, Node, its bundled files and its native libraries. */
export async function collectNotices(
  bundledFiles: readonly string[],
  nativePackages: readonly string[],
): Promise<Notice[]> {
  const bundled = bundledPackages(bundledFiles);
  for (const name of nativePackages) {
    const folder = packageFolder(name);
    if (folder === undefined) throw new Error(`${name} is not installed`);
    if (!bundled.has(folder)) bundled.set(folder, []);
  }
  const packages = await Promise.all([...bundled].map(([folder, files]) => packageNotice(folder, files)));
  packages.sort((a, b) => (a.name < b.name ? -1 : 1));
  const node: Notice = {
    name: 'node',
    version: NODE_VERSION,
    license: 'MIT',
    texts: await addedTexts('node', NODE_VERSION),
  };
  const needAdded = packages.filter(({ name }) => nativePackages.includes(name));
  for (const { name, version } of [node, ...needAdded]) {
    if ((await addedTexts(name, version)).length > 0) continue;
    throw configError(
      `Cannot bundle ${name} ${version}: the notices of the software it contains are missing. ` +
        `Add them to ${addedFolder(name, version)}/ (see templates/notices/README.md).`,
    );
  }
  return [await ownNotice(), node, ...packages, ...(await dataNotices(bundledFiles))];
}

/** Notices for third-party data, by the source file that contains or reads the data. */
async function dataNotices(bundledFiles: readonly string[]): Promise<Notice[]> {
  if (!bundledFiles.some((file) => file.replaceAll('\\', '/').endsWith(READS_TOKENS))) return [];
  const { name, version } = TOKENS;
  return [{ name, version, license: 'MIT', texts: await addedTexts(name, version) }];
}

const READS_TOKENS = 'runtime/targets/gateway/requests/tokens/load-encoding.ts';
const TOKENS = { name: 'tiktoken', version: '0.14.0' };

async function ownNotice(): Promise<Notice> {
  const texts = await readTexts(repositoryFile('.'), /^LICENSE$/);
  return { name: 'encoderfile', version: ownVersion(), license: 'Apache-2.0', texts };
}
