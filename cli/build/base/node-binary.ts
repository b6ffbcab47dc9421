import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { configError } from '../../../runtime/contract/errors.ts';
import { NODE_VERSION, type Platform, shortName } from '../../../runtime/contract/platforms.ts';
import { fetchNpmFile } from '../../adapters/npm-package.ts';
import { packageFolder } from '../../adapters/package-files.ts';

/** The Node binary of a platform: installed with us for the host's, else from the cache, else downloaded once. */
export async function nodeBinary(
  platform: Platform,
  cacheDir: string,
  mayDownload: boolean,
): Promise<string> {
  const installed = packageFolder(platform.nodePackage);
  if (installed) return join(installed, platform.nodePath);
  const cached = join(cacheDir, 'node', NODE_VERSION, platform.triple);
  if (existsSync(cached)) return cached;
  if (!mayDownload) {
    throw configError(
      `No base runtime for ${shortName(platform)} is in ${cacheDir}, and --no-download forbids fetching one. ` +
        'Run once without --no-download, or pass --base-binary-path.',
    );
  }
  await mkdir(dirname(cached), { recursive: true });
  const { nodePackage: name, nodePath: path, integrity } = platform;
  await fetchNpmFile({ name, version: NODE_VERSION, integrity, path }, cached);
  return cached;
}
