import { randomBytes } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { copyFile, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { configError } from '#contract/errors.ts';
import { errorCode } from '#core/values/error-code.ts';
import { createFolders } from '#platform/files/create-folders.ts';
import { type HubReference, isCommit } from '../../config/hub-reference.ts';
import type { HubFile } from './repository-files.ts';

/**
 * One repository in the Hugging Face cache, in the layout that all tools share: `blobs/<hash>`
 * holds contents, `snapshots/<commit>/<path>` links to them, and `refs/<revision>` holds the commit
 * of a branch or tag.
 */
export class RepositoryCache {
  readonly folder: string;
  readonly #canLink: boolean;

  constructor(cache: string, repository: string, canLink: boolean) {
    this.folder = join(cache, `models--${repository.replace('/', '--')}`);
    this.#canLink = canLink;
  }

  get blobs(): string {
    return join(this.folder, 'blobs');
  }

  blob({ hash }: HubFile): string {
    return join(this.blobs, hash);
  }

  snapshot(commit: string): string {
    return join(this.folder, 'snapshots', commit);
  }

  /** The commit that a revision referred to when any tool last downloaded it. */
  readRef({ revision }: HubReference): string | undefined {
    if (isCommit(revision)) return revision;
    try {
      const commit = readFileSync(join(this.folder, 'refs', revision), 'utf8').trim();
      return isCommit(commit) ? commit : undefined;
    } catch {
      return undefined;
    }
  }

  async writeRef(reference: HubReference, commit: string): Promise<void> {
    if (this.readRef(reference) === commit) return;
    await replaceText(join(this.folder, 'refs', reference.revision), commit);
  }

  /** Whether a snapshot contains a file with the expected size. The hash was verified during the download. */
  hasFile(commit: string, { path, bytes }: HubFile): boolean {
    return sizeOf(join(this.snapshot(commit), path)) === bytes;
  }

  hasBlob(file: HubFile): boolean {
    return sizeOf(this.blob(file)) === file.bytes;
  }

  /**
   * Adds a file to a snapshot; the file's blob must exist. If `isNew` is true, no other snapshot
   * uses the blob, so it can be moved.
   */
  async addToSnapshot(commit: string, file: HubFile, isNew: boolean): Promise<void> {
    const path = join(this.snapshot(commit), file.path);
    createFolders(this.snapshot(commit), 0o777);
    createRealFolders(this.snapshot(commit), dirname(file.path));
    if (this.hasFile(commit, file)) return;
    const blob = this.blob(file);
    const temporary = `${path}.${randomBytes(4).toString('hex')}.tmp`;
    try {
      if (this.#canLink && (await canLink(relative(dirname(path), blob), temporary))) {
        await rename(temporary, path);
      } else if (isNew) {
        await rename(blob, path);
      } else {
        await copyFile(blob, temporary);
        await rename(temporary, path);
      }
    } catch (error) {
      await rm(temporary, { force: true });
      // The rename fails on Windows if another process has added and opened the same file.
      if (!this.hasFile(commit, file)) throw error;
    }
  }
}

/** Creates a link; returns false if the operating system or the file system does not allow it. */
async function canLink(target: string, path: string): Promise<boolean> {
  try {
    await symlink(target, path);
    return true;
  } catch (error) {
    if (NO_LINKS.has(errorCode(error))) return false;
    throw error;
  }
}

const NO_LINKS: ReadonlySet<string | undefined> = new Set([
  'EPERM',
  'EACCES',
  'ENOSYS',
  'ENOTSUP',
  'EOPNOTSUPP',
  'EINVAL',
]);

/**
 * Creates the parent folders of a file in a snapshot. Rejects links in place of folders, because
 * they could lead out of the snapshot.
 */
function createRealFolders(snapshot: string, below: string): void {
  let folder = snapshot;
  for (const part of below.split('/').filter((name) => name !== '.')) {
    folder = join(folder, part);
    if (!existsSync(folder)) mkdirSync(folder, { recursive: true });
    if (lstatSync(folder).isDirectory()) continue;
    throw configError(
      `${folder} must be a folder, but it is a link or a file. Remove it, and run the command again.`,
    );
  }
}

/** Writes a small file atomically: concurrent readers see either its old or its new content. */
export async function replaceText(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    await writeFile(temporary, text);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

function sizeOf(path: string): number | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() ? found.size : undefined;
}
