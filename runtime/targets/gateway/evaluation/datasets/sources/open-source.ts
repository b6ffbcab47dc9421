import { inputError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import { createFetcher, type Fetched, type Fetcher, type HeadersOf } from './fetcher.ts';
import { s3Headers, s3Refusal, s3Url } from './s3.ts';
import type { DatasetSource, OpenedSource, DatasetHubOptions } from './source.ts';
import { openUrl } from './url.ts';
import { createHash, type Hash } from 'node:crypto';
import { isObject } from '#core/json/is-object.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { BENCHMARK_PREFIX } from '../benchmarks/benchmarks.ts';
import { openBenchmark } from './benchmark.ts';
import { endpointOf } from './endpoint.ts';
import type { UploadFile } from '../dataset.ts';
import { chooseHubFiles, type RemoteDatasetFile } from './hub-files.ts';
import { trimEndOf } from '#core/text/trim-text.ts';
import { nextLink } from '#core/net/link-header.ts';
import { pushAll } from '#core/values/push-all.ts';

interface SourceParts {
  readonly clock: Pick<Clock, 'now'>;
  /** Whether loopback and private addresses are allowed. */
  readonly local: boolean;
  readonly signal: AbortSignal;
  /** Name of the dataset. For a single file, its extension determines the format. */
  readonly filename?: string | undefined;
}

/** Opens a source and calls `use` with its files. Throws an InputError if it cannot be read. */
export async function withSource<Result>(
  { source, hub, s3, benchmark }: DatasetSource,
  { clock, local, signal, filename }: SourceParts,
  use: (opened: OpenedSource) => Promise<Result>,
): Promise<Result> {
  const isHub = source.startsWith('hf:');
  const isS3 = source.startsWith('s3:');
  const explain = isHub ? hubRefusal : isS3 ? s3Refusal : () => undefined;
  const fetcher = createFetcher({ local, signal, explain });
  const open = async (): Promise<OpenedSource> => {
    if (isHub) {
      const opened = await openHub(fetcher, source, hub);
      return { ...opened, filename: filename ?? opened.filename };
    }
    if (source.startsWith(BENCHMARK_PREFIX)) {
      const opened = await openBenchmark(fetcher, source, benchmark);
      return { ...opened, filename: filename ?? opened.filename };
    }
    if (isS3) {
      const url = s3Url(source, s3);
      return {
        ...(await openUrl(fetcher, url, { filename, headersOf: s3Headers(url, s3, () => clock.now()) })),
        origin: source,
      };
    }
    const url = URL.parse(source);
    if (!url || !/^https?:$/.test(url.protocol)) {
      throw inputError(
        `${JSON.stringify(source.slice(0, 200))} is not a dataset source. Use http://, https://, hf:owner/name, s3://bucket/key or benchmark:name.`,
      );
    }
    return await openUrl(fetcher, url, { filename });
  };
  try {
    return await use(await open());
  } finally {
    await fetcher.close();
  }
}

const ENDPOINT = 'https://huggingface.co';
/** Branch with the hub's own Parquet conversion of every dataset. */
const CONVERTED = 'refs/convert/parquet';
const MAX_PAGES = 50;
const MAX_LISTING_BYTES = 16 * 1024 * 1024;

/**
 * Opens the Parquet files of a split in a repository. The revision is first resolved to a commit, and each
 * file must have the hash that the hub lists for it in that commit.
 * @see https://huggingface.co/docs/hub/api
 */
async function openHub(
  fetcher: Fetcher,
  source: string,
  { endpoint = ENDPOINT, config, split, revision, token }: DatasetHubOptions,
): Promise<OpenedSource> {
  const [, name] = /^hf:([\w.-]{1,96}\/[\w.-]{1,96})$/.exec(source) ?? [];
  if (name === undefined)
    throw inputError(
      `${JSON.stringify(source.slice(0, 200))} is not a dataset on the hub. Use hf:owner/name.`,
    );
  const base = endpointOf(endpoint, 'hf.endpoint', ENDPOINT);
  const root = `${base.origin}${trimEndOf(base.pathname, '/')}`;
  const headersOf: HeadersOf = (url) =>
    token !== undefined && url.origin === base.origin ? { authorization: `Bearer ${token}` } : {};
  const get = (path: string): Promise<Fetched> => fetcher.get(new URL(`${root}${path}`), headersOf);

  const wanted = encodeURIComponent(revision ?? CONVERTED);
  const { sha } = await jsonOf(await get(`/api/datasets/${name}/revision/${wanted}`));
  if (typeof sha !== 'string' || !/^[\da-f]{40}$/.test(sha))
    throw inputError(`The hub did not return the commit of ${source}.`);
  const files: RemoteDatasetFile[] = [];
  let next: URL | undefined = new URL(`${root}/api/datasets/${name}/tree/${sha}?recursive=true`);
  for (let page = 0; next !== undefined && page < MAX_PAGES; page++) {
    const answer = await fetcher.get(next, headersOf);
    pushAll(files, filesIn(await jsonOf(answer)));
    next = nextPage(answer);
  }
  const chosen = chooseHubFiles(files, { source, config, split, isConverted: revision === undefined });
  const open = async function* (): AsyncGenerator<UploadFile, void> {
    for (const file of chosen.files) {
      const path = file.path.split('/').map(encodeURIComponent).join('/');
      const { bytes } = await get(`/datasets/${name}/resolve/${sha}/${path}`);
      yield { filename: file.path, bytes: verified(bytes, file), hasLabelNames: true };
    }
  };
  return {
    filename: `${name.replace('/', '-')}-${chosen.config}-${chosen.split}.parquet`,
    origin: `${source}@${sha} (${chosen.config}, ${chosen.split})`,
    files: open(),
  };
}

/** Why the hub rejected a request. */
function hubRefusal(url: URL, status: number): string | undefined {
  if (status !== 401 && status !== 403 && status !== 404) return undefined;
  const [, name, , revision = ''] =
    /\/datasets\/([^/]+\/[^/]+)\/(revision|tree|resolve)\/([^/?]+)/.exec(url.pathname) ?? [];
  if (name === undefined) return undefined;
  return `The hub has no dataset ${name} with the revision ${decodeURIComponent(revision)}, or it requires a token with access (status ${status}). Check the name, or set \`hf.secret_key_name\`.`;
}

async function jsonOf({ bytes, url }: Fetched): Promise<Readonly<Record<string, unknown>>> {
  let size = 0;
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes) {
    size += piece.length;
    if (size > MAX_LISTING_BYTES) throw inputError(`The file list from ${url.host} is too large.`);
    pieces.push(piece);
  }
  try {
    return parseJsonText(Buffer.concat(pieces).toString('utf8')) as Readonly<Record<string, unknown>>;
  } catch (error) {
    throw inputError(`${url.host} did not return valid JSON.`, error);
  }
}

function filesIn(json: unknown): RemoteDatasetFile[] {
  if (!Array.isArray(json)) return [];
  return json.flatMap((entry): RemoteDatasetFile[] => {
    if (!isObject(entry) || entry['type'] !== 'file') return [];
    const { path, size, oid, lfs } = entry;
    const hash = isObject(lfs) ? lfs['oid'] : oid;
    const isWhole = typeof path === 'string' && typeof size === 'number' && typeof hash === 'string';
    return isWhole ? [{ path, size, hash: hash.replace(/^sha256:/, '') }] : [];
  });
}

function nextPage({ headers, url }: Fetched): URL | undefined {
  const next = nextLink(String(headers['link'] ?? ''));
  return next === undefined ? undefined : (URL.parse(next, url) ?? undefined);
}

/** Throws an InputError at the end of a file that differs from the commit's file. */
async function* verified(
  bytes: AsyncIterable<Uint8Array>,
  { path, size, hash }: RemoteDatasetFile,
): AsyncGenerator<Uint8Array, void> {
  const hasher = hasherOf(size, hash);
  for await (const piece of bytes) {
    hasher.update(piece);
    yield piece;
  }
  if (hasher.digest('hex') !== hash)
    throw inputError(`${path} does not have the hash that the hub lists for it. Retry the import.`);
}

/** Large files have a SHA-256; others have the Git hash, which covers the size. */
const hasherOf = (size: number, hash: string): Hash =>
  hash.length === 64 ? createHash('sha256') : createHash('sha1').update(`blob ${size}\0`);
