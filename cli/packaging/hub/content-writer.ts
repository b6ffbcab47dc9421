import type { FileHandle } from 'node:fs/promises';
import type { Hasher } from '#contract/container/verify.ts';
import { explainWriteError } from '#platform/files/write-error.ts';
import { readChunks } from '#platform/read-chunks.ts';
import type { PartialFile } from './partial-file.ts';
import type { HubFile } from './repository-files.ts';
import { createHash } from 'node:crypto';
import { newSha256 } from '#platform/sha256.ts';

const SHA256_LENGTH = 64;

/** Computes the hash that the hub states for a file: SHA-256 of large files, else that of Git, which includes the size. */
function newContentHash({ hash, bytes }: HubFile): Hasher {
  if (hash.length === SHA256_LENGTH) return newSha256();
  const git = createHash('sha1').update(`blob ${bytes}\0`);
  return {
    update: (chunk) => void git.update(chunk),
    hex: () => git.digest('hex'),
  };
}

/** Writes the content of a file from the hub and computes its hash while it arrives. */
export class ContentWriter {
  #bytes = 0;
  #hash: Hasher;
  readonly #file: FileHandle;
  readonly #expected: HubFile;
  /** Receives how many bytes were added; negative if the content starts from the beginning again. */
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

  /** Continues after the content that the file has already. */
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
      throw explainWriteError('the cache of Hugging Face', error, 'Set HF_HUB_CACHE to another folder');
    }
    this.#hash.update(chunk);
    this.#count(chunk.length);
  }

  async restart(): Promise<void> {
    await this.#file.truncate();
    this.#count(-this.#bytes);
    this.#hash = newContentHash(this.#expected);
  }

  /** Whether the content is that of the hub. Nothing can be written afterwards, except after `restart`. */
  isRight(): boolean {
    return this.#bytes === this.#expected.bytes && this.#hash.hex() === this.#expected.hash;
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    this.#onBytes(bytes);
  }
}
