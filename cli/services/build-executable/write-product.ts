import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { timeStep } from '#core/time/time-step.ts';
import type { FileTarget } from '#platform/files/output-target.ts';
import type { BaseOrigin, BaseRuntime } from '../../packaging/base/base-runtime.ts';
import type { PreparedModel } from '../../packaging/model/prepared-graph.ts';
import { creationTime } from '../../packaging/oci/creation-time.ts';
import type { BaseImage } from '../../packaging/oci/open-base-image.ts';
import type { BuildPlan } from '../../packaging/plan.ts';
import type { Reporter } from '../../packaging/reporter.ts';
import { writeAssets } from '../../packaging/steps/write-assets.ts';
import { writeExecutable } from '../../packaging/steps/write-executable.ts';
import { writeOci } from '../../packaging/steps/write-oci.ts';
import type { BuildResult } from './result.ts';

/** The parts of a product, which are completed one after the other. */
export interface ProductInput {
  readonly plan: BuildPlan;
  readonly output: FileTarget;
  readonly baseImage: BaseImage | undefined;
  /** Undefined if only assets are written. */
  readonly base: Promise<ChosenBase> | undefined;
  readonly weights: Promise<string>;
  readonly model: Promise<PreparedModel>;
  readonly workFolder: string;
}

export interface ChosenBase {
  readonly base: BaseRuntime;
  /** Path of the base runtime that the user specified, or the source of the base runtime. */
  readonly origin: BaseOrigin | { readonly path: string };
}

export type Written = Pick<BuildResult, 'bytes' | 'image' | 'digest'>;

/**
 * Writes the product of a build. Parts of the executable that are complete are written while the
 * model is still being prepared.
 */
export async function writeProduct(input: ProductInput, report: Reporter): Promise<Written> {
  const { plan, output, base: choosing, weights, workFolder } = input;
  const { onStep } = report;
  if (choosing === undefined) {
    const model = await input.model;
    return { bytes: await timeStep(onStep, 'write', () => writeAssets(resolve(plan.output.path), model)) };
  }
  const isImage = plan.output.kind === 'oci';
  const path = join(workFolder, 'image.encoder');
  const target: FileTarget = isImage ? { kind: 'file', shown: path, path, existing: undefined } : output;
  let show = (_doneBytes: number): void => {};
  const writing = timeStep(onStep, 'write', async () => {
    // If the output's folder does not exist, waits for the model, so that the folder is not created
    // if the model is rejected.
    if (!existsSync(dirname(target.path))) await input.model;
    return await writeExecutable({
      output: target,
      base: (await choosing).base,
      platform: plan.platform,
      weights,
      model: input.model,
      onProgress: (done) => show(done),
    });
  });
  writing.catch(() => {});
  // Waits until the incomplete file has been removed. A problem with the model is reported first.
  const model = await input.model.catch(async (error: unknown) => {
    await writing.catch(() => {});
    throw error;
  });
  const { base } = await tell(choosing, report);
  const step = report.step('Writing the executable');
  const total = base.length + (await stat(model.graph.weightsPath)).size;
  show = (done) => step.progress(Math.min(done, total), total);
  const bytes = await writing;
  step.done();
  if (!isImage) return { bytes };
  const created = creationTime(process.env['SOURCE_DATE_EPOCH']);
  return await writeOci({ ...input, base, model, executable: path, created, report });
}

const ORIGIN_TEXT: Record<BaseOrigin, string> = {
  own: 'inside this encoderfile',
  cache: 'from the cache',
  built: 'built and cached',
  rebuilt: 'rebuilt, because the cached one was corrupted',
  downloaded: 'downloaded and cached',
};

async function tell(choosing: Promise<ChosenBase>, report: Reporter): Promise<ChosenBase> {
  const step = report.step('Preparing the base runtime');
  const chosen = await choosing;
  step.done(typeof chosen.origin === 'string' ? ORIGIN_TEXT[chosen.origin] : chosen.origin.path);
  return chosen;
}
