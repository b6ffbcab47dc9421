import { constants, readFileSync } from 'node:fs';
import { access, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { configError } from '#contract/errors.ts';
import { explainWriteError } from '#platform/files/write-error.ts';
import { lockOutput } from '#platform/files/output-lock.ts';
import { type FileTarget, findOutputFile } from '#platform/files/output-target.ts';
import { type InputFile, refuseInput } from '#platform/files/refuse-input.ts';
import { type BuildPlan, isArchive } from '../plan.ts';
import type { Reporter } from '../reporter.ts';
import { ASSETS } from '#contract/assets.ts';
import type { Manifest, RuntimeInfo } from '#contract/manifest.ts';
import { parseManifest } from '#core/model/manifest-json.ts';
import { readBuiltImage } from '../oci/read-built-image.ts';
import { readBuilt } from './build-inputs.ts';

interface OutputCheck {
  /** The output path as the user wrote it. */
  readonly shown: string;
  readonly kind: BuildPlan['output']['kind'];
  readonly product: Product;
  readonly inputs: readonly InputFile[];
  /** Whether any existing file is overwritten. */
  readonly force: boolean;
}

export interface LockedOutput {
  readonly target: FileTarget;
  /** Waits for other builds that are writing the output. */
  readonly release: () => void;
}

/**
 * Rejects an output path that cannot be written or that contains another kind of file, before the
 * build starts. Waits for a concurrent build of the same output, so that its result is checked.
 */
export async function claimOutput(check: OutputCheck, report: Reporter): Promise<LockedOutput> {
  const { shown, kind, inputs } = check;
  const target = await targetOf(shown, kind);
  await refuseInputs(target, inputs);
  await refuseFolder(target, shown);
  const lock = await lockOutput(target, () => report.print(`Waiting for another running build of ${shown}`));
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
  if (found) throw configError(`Cannot write under ${path}: it is a file. Choose another output path.`);
  const parent = dirname(path);
  return parent === path ? path : await nearestFolder(parent);
}

const LAYOUT_NAMES: ReadonlySet<string> = new Set(['oci-layout', 'index.json', 'blobs']);

/**
 * Rejects replacing a folder that contains more than an OCI layout, even with --force: it would
 * delete the user's files.
 */
async function refuseOtherFiles(path: string, shown: string): Promise<void> {
  const names = await readdir(path).catch(() => []);
  const foreign = names.find((name) => !LAYOUT_NAMES.has(name));
  if (foreign === undefined) return;
  throw configError(
    `Cannot write ${shown}: it contains other files (${foreign}). Choose another output path, or empty the folder.`,
  );
}

/**
 * The product that a build will write: a model, identified by its config file, or a program without
 * a model.
 */
type Product =
  | { readonly name: string; readonly origin: string }
  | { readonly program: RuntimeInfo['program'] };

/** The product of an earlier build, in any format. */
interface Existing {
  readonly manifest: Pick<Manifest, 'name' | 'origin'> | undefined;
  readonly program: RuntimeInfo['program'];
}

/**
 * Rejects replacing anything but an earlier build of the same product. `shown` is the output as the
 * user wrote it.
 */
async function refuseOtherProduct(
  shown: string,
  path: string,
  kind: BuildPlan['output']['kind'],
  product: Product,
): Promise<void> {
  const existing = await READERS[kind](path);
  const what = existing === undefined ? UNKNOWN[kind] : otherProduct(existing, product);
  if (what === undefined) return;
  throw configError(
    `Cannot write ${shown}: it already exists and is ${what}. Pass --force to overwrite it, or choose another output path.`,
  );
}

const UNKNOWN: Record<BuildPlan['output']['kind'], string> = {
  executable: 'a file that encoderfile did not write',
  assets: 'a file that encoderfile did not write',
  oci: 'not an image that encoderfile wrote',
};

const READERS: Record<BuildPlan['output']['kind'], (path: string) => Promise<Existing | undefined>> = {
  executable: readBuilt,
  assets: async (path) => await Promise.resolve(readAssets(path)),
  oci: async (path) => {
    const manifest = await readBuiltImage(path);
    return manifest && { manifest, program: undefined };
  },
};

function otherProduct({ manifest, program }: Existing, product: Product): string | undefined {
  if ('program' in product) return program === product.program ? undefined : 'another program';
  if (manifest === undefined) return 'not a model';
  const isSame =
    manifest.origin === undefined ? manifest.name === product.name : manifest.origin === product.origin;
  return isSame ? undefined : `the model ${manifest.name}, built from another config file`;
}

/**
 * A folder without a manifest must only contain asset files, which is checked when the folder is
 * replaced.
 */
function readAssets(folder: string): Existing | undefined {
  try {
    const manifest = parseManifest(readFileSync(join(folder, ASSETS.manifest)));
    return { manifest, program: undefined };
  } catch {
    return undefined;
  }
}
