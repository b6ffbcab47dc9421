import { constants } from 'node:fs';
import { access, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { configError } from '#contract/errors.ts';
import { explainWriteError } from '#platform/files/write-error.ts';
import { lockOutput } from '#platform/files/output-lock.ts';
import { type FileTarget, findOutputFile } from '#platform/files/output-target.ts';
import { type InputFile, refuseInput } from '#platform/files/refuse-input.ts';
import { type BuildPlan, isArchive } from '../plan.ts';
import type { Reporter } from '../reporter.ts';
import { refuseOtherFiles } from './refuse-other-files.ts';
import { type Product, refuseOtherProduct } from './refuse-other-product.ts';

interface OutputCheck {
  /** The output path as the user wrote it. */
  readonly shown: string;
  readonly kind: BuildPlan['output']['kind'];
  readonly product: Product;
  readonly inputs: readonly InputFile[];
  /** Whether an existing file is overwritten, whatever it is. */
  readonly force: boolean;
}

export interface LockedOutput {
  readonly target: FileTarget;
  /** Lets another build write the output. */
  readonly release: () => void;
}

/**
 * Rejects, before any long work, an output path that cannot be written, or that contains something else. Another build of the same output
 * comes first, so that its result is seen here.
 */
export async function claimOutput(check: OutputCheck, report: Reporter): Promise<LockedOutput> {
  const { shown, kind, inputs } = check;
  const target = await targetOf(shown, kind);
  await refuseInputs(target, inputs);
  await refuseFolder(target, shown);
  const lock = await lockOutput(target, () =>
    report.print(`Waiting for another build of ${shown}, which is running`),
  );
  try {
    return { target: await checkOutput(check), release: () => lock.release() };
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function checkOutput({ shown, kind, product, force }: OutputCheck): Promise<FileTarget> {
  const target = await targetOf(shown, kind);
  if (kind === 'oci') await refuseOtherFiles(target.path, shown);
  if (!force && (await holdsSomething(target))) await refuseOtherProduct(shown, target.path, kind, product);
  return target;
}

async function refuseFolder(target: FileTarget, shown: string): Promise<void> {
  const folder = await nearestFolder(dirname(target.path));
  try {
    await access(folder, constants.W_OK);
  } catch (error) {
    throw explainWriteError(shown, error);
  }
}

async function targetOf(shown: string, kind: OutputCheck['kind']): Promise<FileTarget> {
  const found = await stat(shown).catch(() => undefined);
  const isFile = kind === 'executable' || (kind === 'oci' && isArchive(shown));
  if (!found?.isDirectory() || isFile) return findOutputFile(shown);
  return { kind: 'file', shown, path: shown, existing: found };
}

/** Rejects an output that would overwrite a file that the build reads. */
async function refuseInputs({ path, shown }: FileTarget, inputs: readonly InputFile[]): Promise<void> {
  refuseInput(path, inputs, shown);
  for (const name of await filesIn(path)) refuseInput(join(path, name), inputs, shown);
}

async function holdsSomething({ path, existing }: FileTarget): Promise<boolean> {
  if (existing === undefined) return false;
  return existing.isDirectory() ? (await filesIn(path)).length > 0 : existing.size > 0;
}

const filesIn = async (path: string): Promise<string[]> => await readdir(path).catch(() => []);

async function nearestFolder(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) return path;
  if (found) throw configError(`Cannot write below ${path}: it is a file. Choose another output path.`);
  const parent = dirname(path);
  return parent === path ? path : await nearestFolder(parent);
}
