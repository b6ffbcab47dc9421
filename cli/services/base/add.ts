import { resolve } from 'node:path';
import { formatBytes } from '#core/model/progress.ts';
import { shortName } from '#contract/platforms.ts';
import { ownVersion } from '../../adapters/own-files.ts';
import { defaultCacheDir } from '../../adapters/user-folders.ts';
import { adoptBase } from '../../packaging/base/adopt.ts';
import type { BaseOrigin, BaseRuntime } from '../../packaging/base/base-runtime.ts';
import { isUsedByBuilds, provideBase } from '../../packaging/base/provide-base.ts';
import { hostPlatform, parsePlatform } from '../../packaging/plan.ts';
import type { Reporter } from '../../packaging/reporter.ts';
import type { BaseAddResult, ListedFile } from './result.ts';

export interface BaseAddRequest {
  readonly platforms: readonly string[];
  readonly cacheDir: string | undefined;
  readonly canDownload: boolean;
}

const ORIGIN_TEXT: Record<BaseOrigin, string> = {
  own: 'inside this encoderfile',
  cache: 'already cached',
  built: 'built',
  rebuilt: 'built',
  downloaded: 'downloaded',
};

/** `encoderfile base add`: builds base runtimes ahead of time, for example while a network is available. */
export async function addBases(request: BaseAddRequest, report: Reporter): Promise<BaseAddResult> {
  const cacheDir = resolve(request.cacheDir ?? defaultCacheDir());
  // All names are checked before the first platform is built.
  const platforms =
    request.platforms.length > 0
      ? request.platforms.map(parsePlatform)
      : [hostPlatform({ os: process.platform, cpu: process.arch })];
  const bases: ListedFile[] = [];
  for (const platform of new Set(platforms)) {
    const step = report.step(`Base runtime for ${shortName(platform)}`);
    const { base, origin } = await provideBase({
      platform,
      version: ownVersion(),
      cacheDir,
      canDownload: request.canDownload,
    });
    step.done(`${ORIGIN_TEXT[origin]}, ${formatBytes(base.fileSize)}`);
    bases.push(listed(base, true));
  }
  return { cacheDir, bases };
}

/** `encoderfile base add --file`: imports a base runtime that was built elsewhere. */
export async function addBaseFile(
  file: string,
  platform: string | undefined,
  cacheFolder: string | undefined,
  report: Reporter,
): Promise<BaseAddResult> {
  const cacheDir = resolve(cacheFolder ?? defaultCacheDir());
  const wanted = platform === undefined ? undefined : parsePlatform(platform);
  const step = report.step(`Importing ${file}`);
  const base = await adoptBase(file, wanted, cacheDir);
  step.done(`${base.info.platform}, version ${base.info.version}`);
  const same = base.info.version === ownVersion();
  const current = same && (await isUsedByBuilds(base.path, parsePlatform(base.info.platform), cacheDir));
  if (same && !current) {
    report.warn(
      `Builds will not use this base runtime of version ${base.info.version}: this encoderfile would build a different one. ` +
        `To use it, pass --base-binary-path ${base.path}.`,
    );
  }
  return { cacheDir, bases: [listed(base, current)] };
}

const listed = ({ info, fileSize, path }: BaseRuntime, current: boolean): ListedFile => ({
  kind: 'base',
  platform: info.platform,
  version: info.version,
  bytes: fileSize,
  current,
  path,
});
