import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createFolders } from '#platform/files/create-folders.ts';
import type { FileTarget } from '#platform/files/output-target.ts';
import { removeLeftovers, temporaryPath } from '#platform/files/temporary.ts';
import { explainWriteError } from '#platform/files/write-error.ts';
import type { BaseRuntime } from '../base/base-runtime.ts';
import type { PreparedModel } from '../model/prepared-graph.ts';
import type { BaseImage } from '../oci/open-base-image.ts';
import { writeArchive } from '../oci/write-archive.ts';
import { writeImage, type WrittenImage } from '../oci/write-image.ts';
import { type BuildPlan, isArchive } from '../plan.ts';
import type { Reporter } from '../reporter.ts';

export interface OciInput {
  readonly output: FileTarget;
  readonly model: PreparedModel;
  readonly base: BaseRuntime;
  readonly baseImage: BaseImage | undefined;
  readonly plan: BuildPlan;
  /** Path of the complete executable. It is removed, because the image contains a compressed copy. */
  readonly executable: string;
  readonly workFolder: string;
  readonly created: string | undefined;
  readonly report: Reporter;
}

/** Writes an executable as an OCI image, which is a layout in a folder or an archive of the layout. */
export async function writeOci(input: OciInput): Promise<WrittenImage> {
  const { output, executable, workFolder } = input;
  if (!isArchive(output.path)) {
    return await replaceLayout(output, async (layout) => await write(input, layout));
  }
  const layout = join(workFolder, 'layout');
  await mkdir(layout);
  const written = await write(input, layout);
  await rm(executable);
  return { ...written, bytes: await writeArchive(layout, output) };
}

async function write(input: OciInput, layout: string): Promise<WrittenImage> {
  const { base: runtime, model, plan } = input;
  const { manifest } = model;
  return await writeImage({ ...input, layout, runtime, manifest, platform: plan.platform });
}

/** Writes a folder atomically: the old folder stays in place until the new one is complete. */
async function replaceLayout(
  { path, shown }: FileTarget,
  fill: (folder: string) => Promise<WrittenImage>,
): Promise<WrittenImage> {
  const scratch = temporaryPath(path);
  const old = temporaryPath(path);
  try {
    createFolders(dirname(path), 0o777);
    removeLeftovers(path);
    await mkdir(scratch);
    const written = await fill(scratch);
    const hadOld = await rename(path, old).then(
      () => true,
      () => false,
    );
    try {
      await rename(scratch, path);
    } catch (error) {
      if (hadOld) await rename(old, path);
      throw error;
    }
    return written;
  } catch (error) {
    throw explainWriteError(shown, error);
  } finally {
    for (const folder of [scratch, old]) await rm(folder, { recursive: true, force: true });
  }
}
