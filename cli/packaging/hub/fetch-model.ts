import { existsSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { configError, messageOf } from '#contract/errors.ts';
import { formatBytes } from '#core/model/progress.ts';
import { withFileSource } from '#platform/file-source.ts';
import { type HubReference, hubReferenceText, isCommit } from '../../config/hub-reference.ts';
import { safetensorsOf } from '../architectures/find-weights.ts';
import { isSafetensors } from '../architectures/safetensors-files.ts';
import type { GraphVariant } from '../model/graph-variants.ts';
import { CONFIG_FOLDERS, statedIn } from '../model/model-listing.ts';
import { moduleWeights } from '../model/sentence-files.ts';
import { externalLocations } from '../onnx/external-locations.ts';
import type { Reporter, Step } from '../reporter.ts';
import { RepositoryCache } from './cache-layout.ts';
import { type ChosenFiles, chooseFiles, refuseLarge } from './choose-files.ts';
import { downloadFiles } from './download-files.ts';
import { createHubClient, type HubClient, type Surroundings } from './hub-client.ts';
import { isUnavailable } from './hub-errors.ts';
import { readListing, snapshotFiles, writeListing } from './listing-cache.ts';
import { type HubFile, listFiles, resolveCommit } from './repository-files.ts';
import type { HubSettings } from './settings.ts';

export interface FetchRequest extends Surroundings {
  readonly reference: HubReference;
  /** Chooses a graph. `isComplete` is false if the repository can have graphs that the cache does not know. */
  readonly choose: (variants: readonly GraphVariant[], isComplete: boolean) => GraphVariant;
  readonly settings: HubSettings;
  readonly report: Reporter;
}

/** A model of the hub as a folder on this machine. */
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

/** Downloads the files of a model that the cache of Hugging Face lacks, and returns the folder of its snapshot. */
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
  step: Step,
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
  // Which graphs the model can have depends on its architecture and modules.
  const stating = new Set(['modules.json', ...CONFIG_FOLDERS.map((folder) => `${folder}config.json`)]);
  const config = listing.filter(({ path }) => stating.has(path));
  for (const file of config) refuseLarge(file, repository);
  await download(config);
  const stated = statedIn(cache.snapshot(commit));
  const chosen = chooseFiles({ files: listing, ...stated }, repository, (variants) => choose(variants, true));
  await download(chosen.files);
  const weights = await externalFiles(cache.snapshot(commit), chosen, listing);
  await download(weights);
  // Both fail in a cache that cannot be written, which has the files nevertheless.
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
      `The cache has no ${missing.path} of ${name}${because}. Run \`encoderfile pull ${name}\` with a network connection.`,
    );
  };
  refuseMissing(chosen.files);
  const weights = await externalFiles(cache.snapshot(commit), chosen, listing);
  refuseMissing(weights);
  if (listed === undefined) {
    report.warn(
      `The cache has no list of the files of ${name}, so that a file such as modules.json can be missing. Run \`encoderfile pull ${name}\` with a network connection to be sure.`,
    );
  }
  return modelOf(cache, { repository, commit, chosen, weights }, new Set());
}

/** Files with weights whose names only the graph, the index of several safetensors files, and modules.json know. */
async function externalFiles(
  snapshot: string,
  { graph, files }: ChosenFiles,
  listing: readonly HubFile[],
): Promise<HubFile[]> {
  const path = join(snapshot, graph.path);
  const locations = isSafetensors(path)
    ? await safetensorsOf(path)
    : await withFileSource(path, externalLocations);
  const folder = posix.dirname(graph.path);
  const paths = new Set([
    ...locations.map((location) => posix.join(folder, location)),
    ...(await moduleWeights(snapshot)),
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

/** What was downloaded, for the line that ends a step. */
function fetchedText({ files, commit }: Pick<FetchedModel, 'files' | 'commit'>): string {
  const downloaded = files.filter((file) => file.downloaded);
  const bytes = downloaded.reduce((sum, file) => sum + file.bytes, 0);
  const what =
    downloaded.length === 0
      ? `${files.length} files from the cache`
      : `${downloaded.length} of ${files.length} files downloaded, ${formatBytes(bytes)}`;
  return `${what}, commit ${commit.slice(0, 12)}`;
}
