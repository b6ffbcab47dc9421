import { rename, rm, type FileHandle } from 'node:fs/promises';
import { AppError } from '#contract/errors.ts';
import type { HttpResponse } from '../../adapters/http-client.ts';
import type { HubReference } from '../../config/hub-reference.ts';
import type { RepositoryCache } from './cache-layout.ts';
import type { HubClient } from './hub-client.ts';
import { isUnavailable } from './hub-errors.ts';
import { openPartial, type PartialFile } from './partial-file.ts';
import type { HubFile } from './repository-files.ts';
import type { Hasher } from '#contract/container/verify.ts';
import { explainWriteError } from '#platform/files/write-error.ts';
import { readChunks } from '#platform/read-chunks.ts';
import { createHash } from 'node:crypto';
import { newSha256 } from '#platform/sha256.ts';

/** Source and destination of a download. */
export interface DownloadSource {
  readonly client: HubClient;
  readonly cache: RepositoryCache;
  readonly reference: HubReference;
  readonly commit: string;
}

export interface Download extends DownloadSource {
  readonly file: HubFile;
  readonly onBytes: (count: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Downloads a file to the cache's blobs. The blob appears once it is complete and its hash matches.
 * Broken connections are resumed, and a process that is killed or gives up leaves its partial file
 * for the next one to resume.
 */
export async function downloadBlob(download: Download): Promise<void> {
  const { cache, file, onBytes } = download;
  const blob = cache.blob(file);
  const partial = await openPartial(blob);
  try {
    const writer = new ContentWriter(partial.file, file, onBytes);
    await writer.adopt(partial);
    await receiveAll(writer, download);
    await partial.file.sync();
    await partial.file.close();
    await rename(partial.path, blob);
  } catch (error) {
    await partial.file.close();
    if (!isUnavailable(error) && !download.signal.aborted) await rm(partial.path, { force: true });
    // The rename fails on Windows if the blob is open, but then another process has downloaded the
    // same content.
    if (error instanceof AppError || !cache.hasBlob(file)) throw error;
  }
}

/**
 * Receives a whole file. If a partial file from an earlier process was corrupt, the file is
 * downloaded again from the beginning.
 */
async function receiveAll(writer: ContentWriter, download: Download): Promise<void> {
  const isContinued = writer.bytes > 0;
  await receive(writer, download);
  if (writer.isRight()) return;
  if (isContinued) {
    await writer.restart();
    await receive(writer, download);
    if (writer.isRight()) return;
  }
  throw wrongContent(download);
}

/** Resumes after each broken connection. Retries are only limited while no data arrives. */
async function receive(writer: ContentWriter, download: Download): Promise<void> {
  const { client, file, signal } = download;
  for (let retries = 0; writer.bytes < file.bytes;) {
    const before = writer.bytes;
    try {
      await receiveOnce(writer, download);
      if (writer.bytes < file.bytes) throw endedEarly(download);
    } catch (reason) {
      const error = client.explain(reason);
      if (writer.bytes > before) retries = 0;
      if (!(await client.waitToRetry(error, retries, signal))) throw error;
      retries += 1;
    }
  }
}

async function receiveOnce(writer: ContentWriter, download: Download): Promise<void> {
  const { client, reference, commit, file, signal } = download;
  const { repository } = reference;
  const path = `/${repository}/resolve/${commit}/${file.path.split('/').map(encodeURIComponent).join('/')}`;
  const from = writer.bytes;
  const response = await client.open(path, { reference, path: file.path }, from, signal);
  if (from > 0 && startOf(response) !== from) {
    await writer.restart();
    // A server without support for ranges sends the whole file. Other responses cannot be used.
    if (response.status !== 200) {
      response.discard();
      return await receiveOnce(writer, download);
    }
  }
  for await (const chunk of response.body) {
    if (writer.bytes + chunk.length > file.bytes) throw wrongContent(download);
    await writer.write(chunk);
  }
}

/** The position of the first byte of a partial response. */
function startOf({ status, header }: HttpResponse): number | undefined {
  const [, start] = /^bytes (\d+)-/.exec(header('content-range') ?? '') ?? [];
  return status === 206 && start !== undefined ? Number(start) : undefined;
}

const wrongContent = ({ reference: { repository }, file }: Download): AppError =>
  new AppError(
    'UpstreamError',
    `Discarded ${file.path} from hf:${repository}: its hash does not match the hash from the hub. Retry; if the error persists, check HF_ENDPOINT and the proxy variables.`,
  );

const endedEarly = ({ reference: { repository }, file }: Download): AppError =>
  new AppError(
    'UnavailableError',
    `The download of ${file.path} from hf:${repository} was interrupted. Run the command again to resume it.`,
  );

const SHA256_LENGTH = 64;

/**
 * Computes the hash that the hub states for a file: SHA-256 for large files, otherwise Git's, which
 * includes the size.
 */
function newContentHash({ hash, bytes }: HubFile): Hasher {
  if (hash.length === SHA256_LENGTH) return newSha256();
  const git = createHash('sha1').update(`blob ${bytes}\0`);
  return {
    update: (chunk) => void git.update(chunk),
    hex: () => git.digest('hex'),
  };
}

/** Writes a file's content from the hub and computes its hash as it arrives. */
class ContentWriter {
  #bytes = 0;
  #hash: Hasher;
  readonly #file: FileHandle;
  readonly #expected: HubFile;
  /** Receives the number of bytes added; negative when the download restarts from the beginning. */
  readonly #onBytes: (count: number) => void;

  constructor(file: FileHandle, expected: HubFile, onBytes: (count: number) => void) {
    this.#file = file;
    this.#expected = expected;
    this.#onBytes = onBytes;
    this.#hash = newContentHash(expected);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Continues after the content that the file already has. */
  async adopt({ path, bytes }: PartialFile): Promise<void> {
    if (bytes > this.#expected.bytes) return await this.restart();
    for await (const chunk of readChunks({ path, offset: 0, length: bytes })) this.#hash.update(chunk);
    this.#count(bytes);
  }

  async write(chunk: Uint8Array): Promise<void> {
    try {
      for (let from = 0; from < chunk.length;) {
        const { bytesWritten } = await this.#file.write(chunk, from, chunk.length - from, this.#bytes + from);
        from += bytesWritten;
      }
    } catch (error) {
      throw explainWriteError('the Hugging Face cache', error, 'Set HF_HUB_CACHE to another folder');
    }
    this.#hash.update(chunk);
    this.#count(chunk.length);
  }

  async restart(): Promise<void> {
    await this.#file.truncate();
    this.#count(-this.#bytes);
    this.#hash = newContentHash(this.#expected);
  }

  /**
   * Whether the content matches the hub's hash. After this call, the writer cannot be used until
   * `restart` is called.
   */
  isRight(): boolean {
    return this.#bytes === this.#expected.bytes && this.#hash.hex() === this.#expected.hash;
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    this.#onBytes(bytes);
  }
}
