import { statfs } from 'node:fs/promises';
import { configError } from '#contract/errors.ts';
import { formatBytes } from '#core/model/progress.ts';
import { createFolders } from '#platform/files/create-folders.ts';
import { explainWriteError } from '#platform/files/write-error.ts';
import type { RepositoryCache } from './cache-layout.ts';
import { downloadBlob, type DownloadSource } from './download-blob.ts';
import { bytesToContinue } from './partial-file.ts';
import type { HubFile } from './repository-files.ts';

/** The same limit as in huggingface_hub. */
const MAX_PARALLEL = 8;
/** How to choose another cache, for messages. */
const ELSEWHERE = 'Set HF_HUB_CACHE to another folder';

/**
 * Downloads the files that a snapshot lacks in parallel, and adds them to the snapshot. The first
 * failure cancels the other downloads.
 */
export async function downloadFiles(
  source: DownloadSource,
  files: readonly HubFile[],
  onBytes: (count: number) => void,
): Promise<void> {
  if (files.length === 0) return;
  const { cache, commit } = source;
  const stopping = new AbortController();
  const provide = async (file: HubFile): Promise<void> => {
    const isNew = !cache.hasBlob(file);
    if (isNew) await downloadBlob({ ...source, file, onBytes, signal: stopping.signal });
    else onBytes(file.bytes);
    await cache.addToSnapshot(commit, file, isNew);
  };
  // Groups files with the same content, which share a blob and are downloaded one after the other.
  // The largest file comes first, because its download takes longest.
  const waiting = [...Map.groupBy(files, ({ hash }) => hash).values()].toSorted(
    ([one], [other]) => (other?.bytes ?? 0) - (one?.bytes ?? 0),
  );
  const work = async (): Promise<void> => {
    for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) {
      for (const file of group) if (!stopping.signal.aborted) await provide(file);
    }
  };
  const failures: unknown[] = [];
  const stop = (error: unknown): void => {
    failures.push(error);
    stopping.abort();
  };
  try {
    createFolders(cache.blobs, 0o777, ELSEWHERE);
    await refuseFullDisk(cache, files);
    await Promise.all(Array.from({ length: MAX_PARALLEL }, () => work().catch(stop)));
  } catch (error) {
    stop(error);
  }
  if (failures.length > 0) {
    throw explainWriteError(cache.folder, failures[0], ELSEWHERE);
  }
}

async function refuseFullDisk(cache: RepositoryCache, files: readonly HubFile[]): Promise<void> {
  const folder = cache.blobs;
  let needed = 0;
  for (const file of files.filter((one) => !cache.hasBlob(one)))
    needed += file.bytes - Math.min(file.bytes, await bytesToContinue(cache.blob(file)));
  const disk = await statfs(folder).catch(() => undefined);
  if (disk === undefined || disk.bavail * disk.bsize >= needed) return;
  throw configError(
    `The download needs ${formatBytes(needed)}, but ${folder} has only ${formatBytes(disk.bavail * disk.bsize)} left. Free some space, or set HF_HUB_CACHE to a folder on another disk.`,
  );
}
