import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { configError } from '../../../runtime/contract/errors.ts';
import { explainWriteError } from '../../../runtime/core/write-error.ts';
import type { BuildPlan } from '../plan.ts';

/** Refuses, before any long work, an output path that cannot become the file. */
export async function checkOutput(path: string, kind: BuildPlan['output']['kind']): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() && kind === 'executable') {
    throw configError(`Cannot write ${path}: it is a folder. Name a file in it.`);
  }
  const folder = await nearestFolder(dirname(path));
  try {
    await access(folder, constants.W_OK);
  } catch (error) {
    throw explainWriteError(path, error);
  }
}

async function nearestFolder(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) return path;
  if (found) throw configError(`Cannot write below ${path}: it is a file. Choose another output path.`);
  const parent = dirname(path);
  return parent === path ? path : await nearestFolder(parent);
}
