import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { configError, messageOf } from '#contract/errors.ts';
import { formatBytes } from '#core/model/progress.ts';
import { type HubReference, hubReferenceText, isCommit } from '../../config/hub-reference.ts';
import type { Reporter, ReportedStep } from '../reporter.ts';
import { RepositoryCache } from './cache-layout.ts';
import { readListing, snapshotFiles, writeListing } from './cached-listing.ts';
import { downloadFiles } from './download-files.ts';
import { createHubClient, type HubClient, type Surroundings } from './hub-client.ts';
import { isUnavailable } from './hub-errors.ts';
import { type HubFile, listFiles, resolveCommit } from './repository-files.ts';
import type { HubSettings } from './settings.ts';
import { didYouMeanCached } from './similar-models.ts';

export interface RepositoryRequest extends Surroundings {
  readonly reference: HubReference;
  readonly settings: HubSettings;
  readonly report: Reporter;
  /** The command to run with a network connection if files are missing from the cache. Default: pull the repository. */
  readonly command?: string;
}

/** The files of a repository at one commit. */
interface RepositoryListing {
  readonly files: readonly HubFile[];
  /** The folder with the files that have been downloaded. */
  readonly snapshot: string;
  /** False if the repository may have files that the cache does not list. */
  readonly isComplete: boolean;
}

/**
 * Chooses files of a repository. Yields lists of files that must be in the snapshot before it
 * continues, because some files name others.
 */
export type FileChooser<Facts> = (listing: RepositoryListing) => AsyncGenerator<readonly HubFile[], Facts>;

/** Files of a repository as a local folder. */
export interface FetchedRepository {
  readonly folder: string;
  readonly repository: string;
  readonly commit: string;
  readonly files: readonly FetchedFile[];
}

interface FetchedFile {
  readonly path: string;
  readonly bytes: number;
  /** False if the file was in the cache. */
  readonly downloaded: boolean;
}

type Fetched<Facts> = FetchedRepository & { readonly facts: Facts };

/**
 * Downloads the chosen files of a repository that are missing from the Hugging Face cache, and
 * returns the folder of its snapshot.
 */
export async function fetchRepository<Facts>(
  request: RepositoryRequest,
  choose: FileChooser<Facts>,
): Promise<Fetched<Facts>> {
  const { reference, settings, report } = request;
  const cache = new RepositoryCache(settings.cache, reference.repository, settings.symlinks);
  const { offlineBy } = settings;
  if (offlineBy !== undefined) return await fromCache(request, cache, choose, `, and ${offlineBy} is set`);
  const client = createHubClient(settings, request);
  const step = report.step(`Fetching ${hubReferenceText(reference)}`);
  try {
    return await fromHub(request, cache, choose, client, step);
  } catch (error) {
    const fetched = isUnavailable(error)
      ? await fromCache(request, cache, choose).catch(() => undefined)
      : undefined;
    if (fetched === undefined) throw error;
    step.done('from the cache, because the hub is not available');
    report.warn(`${messageOf(error)} Using the cached commit ${fetched.commit}.`);
    return fetched;
  } finally {
    client.close();
  }
}

async function fromHub<Facts>(
  { reference }: RepositoryRequest,
  cache: RepositoryCache,
  choose: FileChooser<Facts>,
  client: HubClient,
  step: ReportedStep,
): Promise<Fetched<Facts>> {
  const { revision } = reference;
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
  const chooser = choose({ files: listing, snapshot: cache.snapshot(commit), isComplete: true });
  const { files, facts } = await runChooser(chooser, download);
  // Writing the ref and the listing fails if the cache is read-only, but the files in it can still be used.
  await cache.writeRef(reference, commit).catch(() => undefined);
  if (listed === undefined) await writeListing(cache, commit, listing);
  const fetched = { ...fetchedFrom(cache, reference, commit, files, downloaded), facts };
  step.done(fetchedText(fetched));
  return fetched;
}

async function fromCache<Facts>(
  { reference, report, command }: RepositoryRequest,
  cache: RepositoryCache,
  choose: FileChooser<Facts>,
  because = '',
): Promise<Fetched<Facts>> {
  const name = hubReferenceText(reference);
  const wayOut = `Run \`${command ?? `encoderfile pull ${name}`}\` with a network connection`;
  const commit = cache.readRef(reference);
  if (commit === undefined || !existsSync(cache.snapshot(commit))) {
    const place = dirname(cache.folder);
    const end = didYouMeanCached(reference.repository, place) || '.';
    throw configError(`${name} is not in the cache ${place}${because}${end} ${wayOut}.`);
  }
  const listed = await readListing(cache, commit);
  const chooser = choose({
    files: listed ?? (await snapshotFiles(cache, commit)),
    snapshot: cache.snapshot(commit),
    isComplete: listed !== undefined,
  });
  const { files, facts } = await runChooser(chooser, (wanted) => {
    const missing = wanted.find((file) => !cache.hasFile(commit, file));
    if (missing !== undefined)
      throw configError(`${missing.path} of ${name} is not in the cache${because}. ${wayOut}.`);
  });
  if (listed === undefined) {
    report.warn(
      `The cache has no file list for ${name}, so files such as modules.json could be missing. ${wayOut} to download the list.`,
    );
  }
  return { ...fetchedFrom(cache, reference, commit, files, new Set()), facts };
}

/** Provides each list of files that a chooser yields; returns all files and the chooser's result. */
async function runChooser<Facts>(
  chooser: AsyncGenerator<readonly HubFile[], Facts>,
  provide: (files: readonly HubFile[]) => Promise<void> | void,
): Promise<{ readonly files: ReadonlySet<HubFile>; readonly facts: Facts }> {
  const files = new Set<HubFile>();
  for (;;) {
    const { done, value } = await chooser.next();
    if (done === true) return { files, facts: value };
    await provide(value);
    for (const file of value) files.add(file);
  }
}

function fetchedFrom(
  cache: RepositoryCache,
  { repository }: HubReference,
  commit: string,
  files: ReadonlySet<HubFile>,
  downloaded: ReadonlySet<HubFile>,
): FetchedRepository {
  const all = [...files].map((file) => ({
    path: file.path,
    bytes: file.bytes,
    downloaded: downloaded.has(file),
  }));
  const byPath = all.toSorted((one, other) => (one.path < other.path ? -1 : 1));
  return { folder: cache.snapshot(commit), repository, commit, files: byPath };
}

/** Describes what was downloaded, for the line at the end of the download step. */
function fetchedText({ files, commit }: FetchedRepository): string {
  const downloaded = files.filter((file) => file.downloaded);
  const bytes = downloaded.reduce((sum, file) => sum + file.bytes, 0);
  const what =
    downloaded.length === 0
      ? `${files.length} files from the cache`
      : `${downloaded.length} of ${files.length} files downloaded, ${formatBytes(bytes)}`;
  return `${what}, commit ${commit.slice(0, 12)}`;
}
