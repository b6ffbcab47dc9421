import { accessSync, constants } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { explainWriteError } from '#platform/files/write-error.ts';
import { removeLeftovers, temporaryPath } from '#platform/files/temporary.ts';
import { explainFullDisk } from './disk-space.ts';
import { errorCode } from '#core/values/error-code.ts';

/**
 * Runs `use` with a new folder below `root`, and removes it afterwards along with folders left
 * behind by killed processes. If `root` is undefined or not writable (a cache in a read-only
 * image), a temporary folder is used.
 */
export async function withWorkFolder<Result>(
  root: string | undefined,
  use: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = await create(root);
  try {
    return await use(folder);
  } catch (error) {
    throw await explainFullDisk(folder, error);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function create(root: string | undefined): Promise<string> {
  if (root === undefined) return await createInTemporary();
  const parent = join(root, 'work');
  try {
    await mkdir(parent, { recursive: true });
    accessSync(parent, constants.W_OK);
    return await createIn(parent);
  } catch (error) {
    if (!isReadOnly(error)) throw explainWriteError(parent, error);
  }
  return await createInTemporary();
}

async function createInTemporary(): Promise<string> {
  const folder = tmpdir();
  return await createIn(folder).catch((error: unknown) => {
    throw explainWriteError(folder, error);
  });
}

async function createIn(parent: string): Promise<string> {
  const name = join(parent, 'work');
  removeLeftovers(name);
  const folder = temporaryPath(name);
  await mkdir(folder, { mode: 0o700 });
  return folder;
}

const isReadOnly = (error: unknown): boolean => ['EROFS', 'EACCES', 'EPERM'].includes(errorCode(error) ?? '');
