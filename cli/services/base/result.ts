import { formatBytes } from '#core/model/progress.ts';
import { alignColumns } from '../text.ts';

/** A file in the cache. */
export interface ListedFile {
  readonly kind: 'base' | 'node';
  readonly platform: string;
  readonly version: string;
  readonly bytes: number;
  /** Whether builds with this encoderfile version use the file. */
  readonly current: boolean;
  readonly path: string;
}

export interface BaseListResult {
  readonly cacheDir: string;
  readonly bases: readonly ListedFile[];
  readonly nodeBinaries: readonly ListedFile[];
}

export interface BaseAddResult {
  readonly cacheDir: string;
  readonly bases: readonly ListedFile[];
}

export interface BaseRemoveResult {
  readonly cacheDir: string;
  readonly removed: readonly Omit<ListedFile, 'current'>[];
}

export function baseListText({ cacheDir, bases, nodeBinaries }: BaseListResult): string {
  const nodes =
    nodeBinaries.length > 0
      ? alignColumns([
          ['NODE BINARY', 'VERSION', 'SIZE', 'PATH'],
          ...nodeBinaries.map(({ platform, version, bytes, path }) => [
            platform,
            version,
            formatBytes(bytes),
            path,
          ]),
        ])
      : undefined;
  const table =
    bases.length > 0
      ? alignColumns([
          ['BASE RUNTIME', 'VERSION', 'SIZE', 'USED BY BUILDS', 'PATH'],
          ...bases.map(({ platform, version, bytes, current, path }) => [
            platform,
            version,
            formatBytes(bytes),
            current ? 'yes' : 'no',
            path,
          ]),
        ])
      : `No base runtimes in ${cacheDir}. Builds create them when needed; \`encoderfile base add\` creates one now.`;
  return [table, nodes].filter((text) => text !== undefined).join('\n\n');
}

export const baseAddText = ({ bases }: BaseAddResult): string => bases.map(({ path }) => path).join('\n');

export function baseRemoveText({ cacheDir, removed }: BaseRemoveResult): string {
  if (removed.length === 0) return `Nothing to remove in ${cacheDir}.`;
  const freed = removed.reduce((sum, { bytes }) => sum + bytes, 0);
  return [...removed.map(({ path }) => `Removed ${path}`), `Freed ${formatBytes(freed)}.`].join('\n');
}
