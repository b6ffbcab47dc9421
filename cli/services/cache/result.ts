import { formatBytes } from '#core/model/progress.ts';
import { alignColumns } from '../text.ts';

interface ListedExecutable {
  readonly name: string;
  readonly repository: string | undefined;
  readonly bytes: number;
  /** Time of the last use, in ISO 8601. */
  readonly lastUsed: string;
  readonly path: string;
}

export interface CacheListResult {
  readonly cacheDir: string;
  readonly executables: readonly ListedExecutable[];
  /** Total size of the executables, and its maximum. */
  readonly bytes: number;
  readonly maxBytes: number;
  /** Total size of base runtimes and Node binaries, which \`base list\` lists. */
  readonly baseBytes: number;
}

export interface CacheRemoveResult {
  readonly cacheDir: string;
  readonly removed: readonly Pick<ListedExecutable, 'name' | 'bytes' | 'path'>[];
}

export function cacheListText({
  cacheDir,
  executables,
  bytes,
  maxBytes,
  baseBytes,
}: CacheListResult): string {
  const table = alignColumns([
    ['NAME', 'SIZE', 'LAST USED', 'MODEL', 'PATH'],
    ...executables.map(({ name, bytes: size, lastUsed, repository, path }) => [
      name,
      formatBytes(size),
      `${lastUsed.slice(0, 16).replace('T', ' ')}Z`,
      repository === undefined ? 'local files' : `hf:${repository}`,
      path,
    ]),
  ]);
  return [
    executables.length > 0
      ? table
      : `No executables in ${cacheDir}. \`encoderfile try\` and \`encoderfile run\` create them.`,
    `Executables: ${formatBytes(bytes)} of at most ${formatBytes(maxBytes)}. Base runtimes: ${formatBytes(baseBytes)} (\`encoderfile base list\`).`,
  ].join('\n\n');
}

export function cacheRemoveText({ cacheDir, removed }: CacheRemoveResult): string {
  if (removed.length === 0) return `Nothing to remove in ${cacheDir}.`;
  const freed = removed.reduce((sum, { bytes }) => sum + bytes, 0);
  return [...removed.map(({ path }) => `Removed ${path}`), `Freed ${formatBytes(freed)}.`].join('\n');
}
