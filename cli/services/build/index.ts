import { resolve } from 'node:path';
import { ownVersion } from '../../adapters/package-files.ts';
import { defaultCacheDir } from '../../adapters/user-folders.ts';
import { withWorkFolder } from '../../adapters/work-folder.ts';
import { openBase, provideBase, type BaseRuntime } from '../../build/base/base-runtime.ts';
import { type BuildFlags, type BuildPlan, planBuild } from '../../build/plan.ts';
import type { Reporter } from '../../build/reporter.ts';
import { checkOutput } from '../../build/steps/check-output.ts';
import { writeAssets } from '../../build/steps/write-assets.ts';
import { writeExecutable } from '../../build/steps/write-executable.ts';
import { prepareModel } from '../prepare-model.ts';
import { readConfig } from '../read-config.ts';
import type { BuildResult } from './result.ts';

/** `encoderfile build`: the six steps of a build, from a config file to one file that runs. */
export async function build(configFile: string, flags: BuildFlags, report: Reporter): Promise<BuildResult> {
  const started = performance.now();
  const config = await readConfig(configFile);
  const plan = planBuild(config, flags, { os: process.platform, cpu: process.arch });
  const output = resolve(plan.output.path);
  const cacheDir = resolve(plan.cacheDir ?? defaultCacheDir());
  await checkOutput(output, plan.output.kind);

  return await withWorkFolder(cacheDir, async (folder) => {
    const model = await prepareModel(config, folder, report);
    const bytes =
      plan.output.kind === 'assets'
        ? await writeAssets(output, model)
        : await writeExecutable({ output, model, base: await baseFor(plan, cacheDir, report), plan, report });
    return {
      kind: plan.output.kind,
      path: output,
      bytes,
      platform: plan.platform.triple,
      seconds: (performance.now() - started) / 1000,
      manifest: model.manifest,
    };
  });
}

async function baseFor(plan: BuildPlan, cacheDir: string, report: Reporter): Promise<BaseRuntime> {
  if (plan.base.kind === 'file') return await openBase(resolve(plan.base.path), plan.platform);
  const step = report.step('Providing the base runtime');
  let made = false;
  const base = await provideBase({
    platform: plan.platform,
    version: plan.base.version ?? ownVersion(),
    cacheDir,
    mayDownload: plan.base.mayDownload,
    onMake: () => (made = true),
  });
  step.done(made ? 'made and cached' : 'from the cache');
  return base;
}
