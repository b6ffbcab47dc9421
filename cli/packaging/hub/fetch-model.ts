import { existsSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { configError, messageOf } from '#contract/errors.ts';
import { formatBytes } from '#core/model/progress.ts';
import { withFileSource } from '#platform/file-source.ts';
import { type HubReference, hubReferenceText, isCommit } from '../../config/hub-reference.ts';
import { weightFilesOf } from '../architectures/find-weights.ts';
import { isStoredWeights } from '../architectures/weight-files.ts';
import type { GraphVariant } from '../model/graph-variants.ts';
import { CONFIG_FOLDERS, statedIn } from '../model/model-listing.ts';
import { moduleWeights } from '../model/sentence-files.ts';
import { externalLocations } from '../onnx/external-data.ts';
import type { Reporter, ReportedStep } from '../reporter.ts';
import { RepositoryCache, replaceText } from './cache-layout.ts';
import { type ChosenFiles, chooseFiles, refuseLarge } from './choose-files.ts';
import { createHubClient, type HubClient, type Surroundings } from './hub-client.ts';
import { isUnavailable } from './hub-errors.ts';
import { type HubFile, listFiles, resolveCommit, HASH } from './repository-files.ts';
import type { HubSettings } from './settings.ts';
import { readFile, readdir, stat, statfs } from 'node:fs/promises';
import { parseJsonText } from '#core/json/json-text.ts';
import { isObject } from '#core/json/is-object.ts';
import { isCount } from '#core/numbers/is-count.ts';
import { memberOf } from '#core/values/member-of.ts';
import { isSafePath } from './safe-path.ts';
import { createFolders } from '#platform/files/create-folders.ts';
import { explainWriteError } from '#platform/files/write-error.ts';
import { downloadBlob, type DownloadSource } from './download-blob.ts';
import { bytesToContinue } from './partial-file.ts';

export interface FetchRequest extends Surroundings {
  readonly reference: HubReference;
  /**
   * Chooses a graph. `isComplete` is false if the repository may have graphs that the cache does
   * not list.
   */
  readonly choose: (variants: readonly GraphVariant[], isComplete: boolean) => GraphVariant;
  readonly settings: HubSettings;
  readonly report: Reporter;
}

/** A model from the hub as a local folder. */
export interface FetchedModel {
  readonly folder: string;
  readonly repository: string;
  readonly commit: string;
  readonly graph: GraphVariant;
  readonly variants: readonly GraphVariant[];
  readonly files: readonly FetchedFile[];
}

interface FetchedFile {
  readonly path: string;
  readonly bytes: number;
  /** False if the file was in the cache. */
  readonly downloaded: boolean;
}

/**
 * Downloads the files of a model that are missing from the Hugging Face cache, and returns the
 * folder of its snapshot.
 */
export async function fetchModel(request: FetchRequest): Promise<FetchedModel> {
  const { reference, settings, report } = request;
  const cache = new RepositoryCache(settings.cache, reference.repository, settings.symlinks);
  const { offlineBy } = settings;
  if (offlineBy !== undefined) return await fromCache(request, cache, `, and ${offlineBy} is set`);
  const client = createHubClient(settings, request);
  const step = report.step(`Fetching ${hubReferenceText(reference)}`);
  try {
    return await fromHub(request, cache, client, step);
  } catch (error) {
    const fetched = isUnavailable(error) ? await fromCache(request, cache).catch(() => undefined) : undefined;
    if (fetched === undefined) throw error;
    step.done('from the cache, because the hub is not available');
    report.warn(`${messageOf(error)} Using the cached commit ${fetched.commit}.`);
    return fetched;
  } finally {
    client.close();
  }
}

async function fromHub(
  { reference, choose }: FetchRequest,
  cache: RepositoryCache,
  client: HubClient,
  step: ReportedStep,
): Promise<FetchedModel> {
  const { repository, revision } = reference;
  const commit = isCommit(revision) ? revision : await resolveCommit(client, reference);
  const listed = await readListing(cache, commit);
  const listing = listed ?? (await listFiles(client, reference, commit));
  const downloaded = new Set<HubFile>();
  const progress = { done: 0, total: 0 };
  const download = async (files: readonly HubFile[]): Promise<void> => {
    const missing = files.filter((file) => !cache.hasFile(commit, file));
    for (const file of missing) {
      progress.total += file.bytes;
      if (!cache.hasBlob(file)) downloaded.add(file);
    }
    await downloadFiles({ client, cache, reference, commit }, missing, (count) => {
      progress.done += count;
      step.progress(progress.done, progress.total);
    });
  };
  // Which graphs are acceptable depends on the model's architecture and modules.
  const stating = new Set(['modules.json', ...CONFIG_FOLDERS.map((folder) => `${folder}config.json`)]);
  const config = listing.filter(({ path }) => stating.has(path));
  for (const file of config) refuseLarge(file, repository);
  await download(config);
  const stated = statedIn(cache.snapshot(commit));
  const chosen = chooseFiles({ files: listing, ...stated }, repository, (variants) => choose(variants, true));
  await download(chosen.files);
  const weights = await externalFiles(cache.snapshot(commit), chosen, listing);
  await download(weights);
  // Writing the ref and the listing fails if the cache is read-only, but the files in it can still be used.
  await cache.writeRef(reference, commit).catch(() => undefined);
  if (listed === undefined) await writeListing(cache, commit, listing);
  const fetched = modelOf(cache, { repository, commit, chosen, weights }, downloaded);
  step.done(fetchedText(fetched));
  return fetched;
}

async function fromCache(
  { reference, choose, report }: FetchRequest,
  cache: RepositoryCache,
  because = '',
): Promise<FetchedModel> {
  const { repository } = reference;
  const name = hubReferenceText(reference);
  const commit = cache.readRef(reference);
  if (commit === undefined || !existsSync(cache.snapshot(commit))) {
    throw configError(
      `${name} is not in the cache ${dirname(cache.folder)}${because}. Run \`encoderfile pull ${name}\` with a network connection.`,
    );
  }
  const listed = await readListing(cache, commit);
  const listing = listed ?? (await snapshotFiles(cache, commit));
  const stated = statedIn(cache.snapshot(commit));
  const chosen = chooseFiles({ files: listing, ...stated }, repository, (variants) =>
    choose(variants, listed !== undefined),
  );
  const refuseMissing = (files: readonly HubFile[]): void => {
    const missing = files.find((file) => !cache.hasFile(commit, file));
    if (missing === undefined) return;
    throw configError(
      `${missing.path} of ${name} is not in the cache${because}. Run \`encoderfile pull ${name}\` with a network connection.`,
    );
  };
  refuseMissing(chosen.files);
  const weights = await externalFiles(cache.snapshot(commit), chosen, listing);
  refuseMissing(weights);
  if (listed === undefined) {
    report.warn(
      `The cache has no file list for ${name}, so files such as modules.json could be missing. Run \`encoderfile pull ${name}\` with a network connection to download the list.`,
    );
  }
  return modelOf(cache, { repository, commit, chosen, weights }, new Set());
}

/**
 * Returns the weight files whose names are only known from the graph, the index of the weights
 * and modules.json.
 */
async function externalFiles(
  snapshot: string,
  { graph, files }: ChosenFiles,
  listing: readonly HubFile[],
): Promise<HubFile[]> {
  const path = join(snapshot, graph.path);
  const locations = isStoredWeights(path)
    ? await weightFilesOf(path)
    : await withFileSource(path, externalLocations);
  const folder = posix.dirname(graph.path);
  const paths = new Set([
    ...locations.map((location) => posix.join(folder, location)),
    ...(await moduleWeights(snapshot, (name) => listing.some((file) => file.path === name))),
  ]);
  return listing.filter((file) => paths.has(file.path) && !files.includes(file));
}

interface Found {
  readonly repository: string;
  readonly commit: string;
  readonly chosen: ChosenFiles;
  readonly weights: readonly HubFile[];
}

function modelOf(
  cache: RepositoryCache,
  { repository, commit, chosen: { graph, variants, files }, weights }: Found,
  downloaded: ReadonlySet<HubFile>,
): FetchedModel {
  const all = [...files, ...weights].map((file) => ({
    path: file.path,
    bytes: file.bytes,
    downloaded: downloaded.has(file),
  }));
  const byPath = all.toSorted((one, other) => (one.path < other.path ? -1 : 1));
  return { folder: cache.snapshot(commit), repository, commit, graph, variants, files: byPath };
}

/** Describes what was downloaded, for the line at the end of the download step. */
function fetchedText({ files, commit }: Pick<FetchedModel, 'files' | 'commit'>): string {
  const downloaded = files.filter((file) => file.downloaded);
  const bytes = downloaded.reduce((sum, file) => sum + file.bytes, 0);
  const what =
    downloaded.length === 0
      ? `${files.length} files from the cache`
      : `${downloaded.length} of ${files.length} files downloaded, ${formatBytes(bytes)}`;
  return `${what}, commit ${commit.slice(0, 12)}`;
}

/**
 * Folder with the file list of each commit, which never changes. A snapshot only contains the
 * downloaded files, so without the list it is unknown whether the repository has other graphs or
 * settings files.
 */
const OWN_FOLDER = '.encoderfile';
/**
 * Folder with the file lists of huggingface_hub. This program reads but never writes them, because
 * huggingface_hub considers a snapshot complete if its list exists.
 */
const SHARED_FOLDER = 'trees';

async function readListing(cache: RepositoryCache, commit: string): Promise<HubFile[] | undefined> {
  for (const folder of [OWN_FOLDER, SHARED_FOLDER]) {
    const files = parseListing(
      await readFile(join(cache.folder, folder, `${commit}.json`), 'utf8').catch(() => ''),
    );
    if (files !== undefined) return files;
  }
  return undefined;
}

/** Ignores errors, so that a read-only cache, for example in a container image, can be used. */
async function writeListing(
  cache: RepositoryCache,
  commit: string,
  files: readonly HubFile[],
): Promise<void> {
  const members = files.map(({ path, bytes, hash }) => [path, { size: bytes, blob_id: hash }]);
  const text = JSON.stringify({ format_version: 1, files: Object.fromEntries(members) });
  await replaceText(join(cache.folder, OWN_FOLDER, `${commit}.json`), text).catch(() => undefined);
}

function parseListing(text: string): HubFile[] | undefined {
  try {
    const value = parseJsonText(text);
    const files = memberOf(value, 'files');
    if (memberOf(value, 'format_version') !== 1 || !isObject(files)) return undefined;
    return Object.entries(files).flatMap(([path, entry]) => entryOf(path, entry) ?? []);
  } catch {
    return undefined;
  }
}

function entryOf(path: string, entry: unknown): HubFile | undefined {
  const bytes = memberOf(entry, 'lfs_size') ?? memberOf(entry, 'size');
  const hash = memberOf(entry, 'lfs_sha256') ?? memberOf(entry, 'blob_id');
  if (!isSafePath(path) || !isCount(bytes) || typeof hash !== 'string' || !HASH.test(hash)) return undefined;
  return { path, bytes, hash };
}

/**
 * The files that a snapshot contains on disk, for commits without a file list. The hashes of these
 * files are unknown.
 */
async function snapshotFiles(cache: RepositoryCache, commit: string): Promise<HubFile[]> {
  const root = cache.snapshot(commit);
  const names = await readdir(root, { recursive: true }).catch((): string[] => []);
  const files: HubFile[] = [];
  for (const name of names) {
    const found = await stat(join(root, name)).catch(() => undefined);
    if (found?.isFile()) files.push({ path: name.replaceAll('\\', '/'), bytes: found.size, hash: '' });
  }
  return files;
}

/** The same limit as in huggingface_hub. */
const MAX_PARALLEL = 8;

/**
 * Downloads the files that a snapshot lacks in parallel, and adds them to the snapshot. The first
 * failure cancels the other downloads.
 */
async function downloadFiles(
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
    createFolders(cache.blobs, 0o777);
    await refuseFullDisk(cache, files);
    await Promise.all(Array.from({ length: MAX_PARALLEL }, () => work().catch(stop)));
  } catch (error) {
    stop(error);
  }
  if (failures.length > 0) {
    throw explainWriteError(cache.folder, failures[0], 'Set HF_HUB_CACHE to another folder');
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
