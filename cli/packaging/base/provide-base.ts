import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { configError } from '#contract/errors.ts';
import { isHost, type Platform, shortName } from '#contract/platforms.ts';
import { withWorkFolder } from '../../adapters/work-folder.ts';
import { fetchNpmFile } from '../../adapters/npm-package.ts';
import { isOneFile, ownVersion } from '../../adapters/own-files.ts';
import { adoptBase } from './adopt.ts';
import { baseFolder, type BaseRequest, openIntactBase, type ProvidedBase } from './base-runtime.ts';
import { BASE_NAME } from './cached.ts';
import { platformPackage } from '#contract/platform-package.ts';

/**
 * Returns the base runtime for a platform and version. It is this program's own file, or a file
 * from the cache, which is built or downloaded if missing.
 */
export async function provideBase(request: BaseRequest): Promise<ProvidedBase> {
  if (request.version !== ownVersion()) return await findOther(request);
  return isOneFile() ? await provideToOneFile(request) : await (await builder()).provideBuilt(request);
}

/** Whether builds with this encoderfile version use a cached base runtime. */
export async function isUsedByBuilds(path: string, platform: Platform, cacheDir: string): Promise<boolean> {
  if (!isOneFile()) return (await (await builder()).builtPath(platform, cacheDir)) === path;
  return !isHost(platform, process) && (await findPath(platform, ownVersion(), cacheDir)) === path;
}

/** The one-file program does not contain the code that builds base runtimes. */
const builder = (): Promise<typeof import('./build-base.ts')> => import('./build-base.ts');

/**
 * The one-file program is the base runtime for its own platform. The base runtimes for other
 * platforms are downloaded as npm packages.
 */
async function provideToOneFile({
  platform,
  version,
  cacheDir,
  canDownload,
}: BaseRequest): Promise<ProvidedBase> {
  if (isHost(platform, process))
    return { base: await openIntactBase(process.execPath, platform), origin: 'own' };
  const path = await findPath(platform, version, cacheDir);
  // A corrupted base runtime is replaced by a new one.
  const cached = path && (await openIntactBase(path, platform).catch(() => undefined));
  if (cached) return { base: cached, origin: 'cache' };
  const name = shortName(platform);
  if (!canDownload) {
    throw configError(
      `No base runtime for ${name} in ${cacheDir}, and --no-download is set. ` +
        `Run once without --no-download, or pass --base-binary-path with the encoderfile of ${name}.`,
    );
  }
  return await withWorkFolder(cacheDir, async (folder) => {
    const file = join(folder, 'base');
    await fetchNpmFile({ ...platformPackage('encoderfile', platform), version }, file);
    return { base: await adoptBase(file, platform, cacheDir), origin: 'downloaded' };
  });
}

/**
 * Base runtimes of other encoderfile versions can only come from the cache, because this version
 * cannot build them.
 */
async function findOther({ platform, version, cacheDir }: BaseRequest): Promise<ProvidedBase> {
  const path = await findPath(platform, version, cacheDir);
  if (path !== undefined) return { base: await openIntactBase(path, platform), origin: 'cache' };
  throw configError(
    `No base runtime ${version} for ${shortName(platform)} in ${baseFolder(cacheDir, version)}; this encoderfile can build only version ${ownVersion()}. ` +
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
  const name = names.find((candidate) => BASE_NAME.exec(candidate)?.[1] === triple);
  return name === undefined ? undefined : join(folder, name);
}
