import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { AppError, messageOf } from '#contract/errors.ts';
import { executablePlatform, HEADER_BYTES } from './executable-platform.ts';

/** What workers need to know about a file before downloading it. */
export interface FileFacts {
  readonly sha256: string;
  readonly bytes: number;
  /** For example `linux-x64`; null if the file is not an executable of a known platform. */
  readonly platform: string | null;
}

export interface OpenFile extends FileFacts {
  /** The caller closes it. Replacing the file does not affect what the handle reads. */
  readonly handle: FileHandle;
}

/**
 * Opens a file and computes its hash, or reuses the known one if the file is unchanged. Throws an InputError
 * if the file cannot be read.
 */
export type OpenFiles = (path: string) => Promise<OpenFile>;

interface Known {
  /** The file state for which the cached facts are valid. */
  readonly state: string;
  readonly facts: Promise<FileFacts>;
}

const CHUNK_BYTES = 1_048_576;

export function createOpenFiles(): OpenFiles {
  const known = new Map<string, Known>();
  return async (path) => {
    const handle = await open(path, 'r').catch((error: unknown) => {
      throw unreadable(path, messageOf(error));
    });
    try {
      const stats = await handle.stat({ bigint: true });
      if (!stats.isFile()) throw unreadable(path, 'it is not a file');
      const state = `${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeNs}`;
      let found = known.get(path);
      if (found?.state !== state) {
        found = { state, facts: readFacts(handle) };
        known.set(path, found);
        found.facts.catch(() => known.delete(path));
      }
      return { handle, ...(await found.facts) };
    } catch (error) {
      await handle.close();
      throw error;
    }
  };
}

/** Reads at explicit positions, so that others can use the handle meanwhile. */
async function readFacts(handle: FileHandle): Promise<FileFacts> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let [bytes, platform]: [number, string | null] = [0, null];
  for (;;) {
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, bytes);
    if (bytesRead === 0) return { sha256: hash.digest('hex'), bytes, platform };
    if (bytes === 0) platform = executablePlatform(buffer.subarray(0, Math.min(bytesRead, HEADER_BYTES)));
    hash.update(buffer.subarray(0, bytesRead));
    bytes += bytesRead;
  }
}

const unreadable = (path: string, why: string): AppError =>
  new AppError('InputError', `The gateway cannot read \`${path}\`: ${why.replace(/\.$/, '')}.`, {
    reason: 'file_unreadable',
  });
