import { constants } from 'node:fs';
import { access, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { configError } from '../../../runtime/contract/errors.ts';
import { explainWriteError } from '../../../runtime/platform/files/write-error.ts';
import { type FileTarget, findOutputFile } from '../../../runtime/platform/files/output-target.ts';
import { type InputFile, refuseInput } from '../../../runtime/platform/files/refuse-input.ts';
import { type BuildPlan, isArchive } from '../plan.ts';
import { refuseOtherFiles } from './refuse-other-files.ts';
import { type Product, refuseOtherProduct } from './refuse-other-product.ts';

export interface OutputCheck {
  /** The output path as the user wrote it. */
  readonly shown: string;
  readonly kind: BuildPlan['output']['kind'];
  readonly product: Product;
  readonly inputs: readonly InputFile[];
  /** Whether an existing file is overwritten, whatever it is. */
  readonly force: boolean;
}

/** Rejects, before any long work, an output path that cannot be written, or that contains something else. */
export async function checkOutput({ shown, kind, product, inputs, force }: OutputCheck): Promise<FileTarget> {
  const target = await targetOf(shown, kind);
  await refuseInputs(target, inputs);
  const folder = await nearestFolder(dirname(target.path));
  try {
    await access(folder, constants.W_OK);
  } catch (error) {
    throw explainWriteError(shown, error);
  }
  if (kind === 'oci') await refuseOtherFiles(target.path, shown);
  if (!force && (await holdsSomething(target))) await refuseOtherProduct(shown, target.path, kind, product);
  return target;
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
