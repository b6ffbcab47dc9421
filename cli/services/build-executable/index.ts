import { realpathSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { sha256 } from '../../../runtime/platform/sha256.ts';
import { ownVersion } from '../../adapters/own-files.ts';
import { defaultCacheDir } from '../../adapters/user-folders.ts';
import { withWorkFolder } from '../../adapters/work-folder.ts';
import { type BaseOrigin, type BaseRuntime, openIntactBase } from '../../packaging/base/base-runtime.ts';
import { provideBase } from '../../packaging/base/provide-base.ts';
import { type BuildFlags, type BuildPlan, planBuild } from '../../packaging/plan.ts';
import type { Reporter } from '../../packaging/reporter.ts';
import { buildInputs } from '../../packaging/steps/build-inputs.ts';
import { checkOutput } from '../../packaging/steps/check-output.ts';
import { writeAssets } from '../../packaging/steps/write-assets.ts';
import { writeExecutable } from '../../packaging/steps/write-executable.ts';
import { prepareModel } from '../prepare-model.ts';
import { readConfig } from '../read-config.ts';
import type { BuildResult } from './result.ts';

/** `encoderfile build`: the six steps of a build, from a config file to an executable. */
export async function build(configFile: string, flags: BuildFlags, report: Reporter): Promise<BuildResult> {
  const started = performance.now();
  const config = await readConfig(configFile);
  const plan = planBuild(config, flags, { os: process.platform, cpu: process.arch });
  const cacheDir = resolve(plan.cacheDir ?? defaultCacheDir());
  const origin = originOf(configFile, plan.output.path);
  const output = await checkOutput({
    shown: plan.output.path,
    kind: plan.output.kind,
    product: { name: config.name, origin },
    inputs: await buildInputs(config, plan.base),
    force: plan.output.force,
  });

  return await withWorkFolder(cacheDir, async (folder) => {
    // Both mostly wait for other processes, so they run concurrently; problems of the model are reported first.
    const base = plan.output.kind === 'executable' ? provide(plan, cacheDir) : undefined;
    base?.catch(() => {});
    const prepared = await prepareModel(config, folder, report);
    const model = { ...prepared, manifest: { ...prepared.manifest, origin } };
    const bytes = base
      ? await writeExecutable({ output, model, base: await tell(base, report), plan, report })
      : await writeAssets(resolve(plan.output.path), model);
    return {
      kind: plan.output.kind,
      path: resolve(plan.output.path),
      bytes,
      platform: plan.platform.triple,
      seconds: (performance.now() - started) / 1000,
      manifest: model.manifest,
    };
  });
}

/** Identical for identical folder layouts, so that two machines produce the same bytes. */
const originOf = (configFile: string, output: string): string =>
  sha256(relative(dirname(resolve(output)), realpathSync(configFile))).slice(0, 16);

const ORIGIN_TEXT: Record<BaseOrigin, string> = {
  own: 'inside this encoderfile',
  cache: 'from the cache',
  built: 'built and cached',
  rebuilt: 'rebuilt, because the cached one was corrupted',
  downloaded: 'downloaded and cached',
};

interface ProvidedBase {
  readonly base: BaseRuntime;
  readonly how: string;
}

async function provide({ base, platform }: BuildPlan, cacheDir: string): Promise<ProvidedBase> {
  if (base.kind === 'file')
    return { base: await openIntactBase(resolve(base.path), platform), how: base.path };
  const provided = await provideBase({
    platform,
    version: base.version ?? ownVersion(),
    cacheDir,
    canDownload: base.canDownload,
  });
  return { base: provided.base, how: ORIGIN_TEXT[provided.origin] };
}

async function tell(base: Promise<ProvidedBase>, report: Reporter): Promise<BaseRuntime> {
  const step = report.step('Preparing the base runtime');
  const provided = await base;
  step.done(provided.how);
  return provided.base;
}
