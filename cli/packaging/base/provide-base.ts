import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configError } from '../../../runtime/contract/errors.ts';
import { type Platform, shortName } from '../../../runtime/contract/platforms.ts';
import { fetchNpmFile } from '../../adapters/npm-package.ts';
import { isOneFile, ownVersion } from '../../adapters/own-files.ts';
import { adoptBase } from './adopt.ts';
import { baseFolder, type BaseRequest, openIntactBase, type ProvidedBase } from './base-runtime.ts';
import { platformPackage } from './platform-package.ts';

/** Returns the base runtime of a platform and version: from the cache, or built or downloaded into it. */
export async function provideBase(request: BaseRequest): Promise<ProvidedBase> {
  if (request.version !== ownVersion()) return await findOther(request);
  return isOneFile() ? await provideToOneFile(request) : await (await builder()).provideBuilt(request);
}

/** Whether builds of this encoderfile use a base runtime of the cache. */
export async function isUsedByBuilds(path: string, platform: Platform, cacheDir: string): Promise<boolean> {
  if (!isOneFile()) return (await (await builder()).builtPath(platform, cacheDir)) === path;
  return !isHost(platform) && (await findPath(platform, ownVersion(), cacheDir)) === path;
}

/** The code that builds base runtimes is not in the one-file program. */
const builder = (): Promise<typeof import('./build-base.ts')> => import('./build-base.ts');

/** The one-file program is the base runtime of its platform; those of other platforms are in their packages. */
async function provideToOneFile({
  platform,
  version,
  cacheDir,
  canDownload,
}: BaseRequest): Promise<ProvidedBase> {
  if (isHost(platform)) return { base: await openIntactBase(process.execPath, platform), origin: 'own' };
  const cached = await findPath(platform, version, cacheDir);
  if (cached !== undefined) return { base: await openIntactBase(cached, platform), origin: 'cache' };
  const name = shortName(platform);
  if (!canDownload) {
    throw configError(
      `No base runtime for ${name} in ${cacheDir}, and --no-download is set. ` +
        `Run once without --no-download, or pass --base-binary-path with the encoderfile of ${name}.`,
    );
  }
  const scratch = await mkdtemp(join(tmpdir(), 'encoderfile-base-'));
  try {
    const file = join(scratch, 'base');
    await fetchNpmFile({ ...platformPackage('encoderfile', platform), version }, file);
    return { base: await adoptBase(file, platform, cacheDir), origin: 'downloaded' };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

const isHost = ({ os, cpu }: Platform): boolean => os === process.platform && cpu === process.arch;

/** Other versions cannot be built here, only found in the cache. */
async function findOther({ platform, version, cacheDir }: BaseRequest): Promise<ProvidedBase> {
  const path = await findPath(platform, version, cacheDir);
  if (path !== undefined) return { base: await openIntactBase(path, platform), origin: 'cache' };
  throw configError(
    `No base runtime of version ${version} for ${shortName(platform)} in ${baseFolder(cacheDir, version)}; this encoderfile can only build ${ownVersion()}. ` +
      'Import one with `encoderfile base add --file`, pass --base-binary-path, or remove --runtime-version.',
  );
}

async function findPath(
  { triple }: Platform,
  version: string,
  cacheDir: string,
): Promise<string | undefined> {
  const folder = baseFolder(cacheDir, version);
  const names = await readdir(folder).catch(() => []);
  const name = names.find((candidate) => candidate.startsWith(`${triple}-`));
  return name === undefined ? undefined : join(folder, name);
}
