import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { timeStep } from '#core/time/time-step.ts';
import { sha256 } from '#platform/sha256.ts';
import { type StartedOnnxRuntime, startOnnxRuntime } from '../../adapters/onnxruntime.ts';
import { isOneFile, ownVersion } from '../../adapters/own-files.ts';
import { defaultCacheDir, userCacheDir } from '../../adapters/user-folders.ts';
import { isHost } from '#contract/platforms.ts';
import { withWorkFolder } from '../../adapters/work-folder.ts';
import { openIntactBase } from '../../packaging/base/base-runtime.ts';
import { provideBase } from '../../packaging/base/provide-base.ts';
import type { BuildConfig } from '../../config/build-config.ts';
import { isHubReference } from '../../config/hub-reference.ts';
import { type BuildFlags, type BuildPlan, planBuild } from '../../packaging/plan.ts';
import type { Reporter } from '../../packaging/reporter.ts';
import { buildInputs } from '../../packaging/steps/build-inputs.ts';
import { claimOutput } from '../../packaging/steps/check-output.ts';
import { type BaseImage, openBaseImage } from '../../packaging/oci/open-base-image.ts';
import { refuseFolderOf } from '../../packaging/oci/refuse-folder-of.ts';
import type { FileTarget } from '#platform/files/output-target.ts';
import { prepareModel } from '../prepare-model.ts';
import { type ConfigSource, readBuildConfig, STDIN_NAME } from '../read-config.ts';
import type { BuildResult } from './result.ts';
import { type ChosenBase, type Written, writeProduct } from './write-product.ts';

/** `encoderfile build`: the six steps of a build, from a config file to an executable. */
export async function build(source: ConfigSource, flags: BuildFlags, report: Reporter): Promise<BuildResult> {
  const { variant, modelType, offline } = flags;
  return await buildFrom(
    () => readBuildConfig(source, { report, variant, modelType, offline }),
    flags,
    report,
  );
}

/** Builds from a configuration that is read while ONNX Runtime starts. */
export async function buildFrom(
  readConfig: () => Promise<BuildConfig>,
  flags: BuildFlags,
  report: Reporter,
): Promise<BuildResult> {
  const started = performance.now();
  // ONNX Runtime is started early, because starting it takes as long as reading the config.
  const runtime = startOnnxRuntime();
  try {
    const decided = await timeStep(report.onStep, 'config', () => decide(readConfig, flags, report));
    try {
      const { manifest, ...written } = await withWorkFolder(decided.cacheDir, (folder) =>
        prepareAndWrite(decided, runtime, folder, report),
      );
      const { plan } = decided;
      return {
        kind: plan.output.kind,
        path: resolve(plan.output.path),
        ...written,
        platform: plan.platform.triple,
        seconds: (performance.now() - started) / 1000,
        manifest,
      };
    } finally {
      decided.release();
    }
  } finally {
    await runtime.end();
  }
}

/** Prepares the model, and concurrently writes the parts that are complete. */
async function prepareAndWrite(
  { config, plan, cacheDir, origin, output, baseImage }: Decided,
  runtime: StartedOnnxRuntime,
  folder: string,
  report: Reporter,
): Promise<Written & Pick<BuildResult, 'manifest'>> {
  // The base runtime is provided while the model is prepared, because both mostly wait for other
  // processes. Problems with the model are reported first.
  const base =
    plan.output.kind === 'assets'
      ? undefined
      : timeStep(report.onStep, 'base', () => provide(plan, cacheDir));
  base?.catch(() => {});
  // Base runtimes of other versions can only come from the cache, so a missing one is reported
  // before the model is optimized.
  if (plan.base.kind === 'provided' && plan.base.version !== undefined) await base;
  const weights = Promise.withResolvers<string>();
  const onWeights = weights.resolve;
  const model = prepareModel(config, folder, report, { runtime, onWeights }).then((prepared) => ({
    ...prepared,
    manifest: { ...prepared.manifest, origin },
  }));
  model.catch(weights.reject);
  weights.promise.catch(() => {});
  const parts = { base, weights: weights.promise, model };
  const written = await writeProduct({ plan, output, baseImage, ...parts, workFolder: folder }, report);
  return { ...written, manifest: (await model).manifest };
}

/**
 * A build that does not need a cached base runtime also works without a cache folder. Its
 * intermediate files are then written to a temporary folder.
 */
function buildCacheDir({ cacheDir, base, output, platform }: BuildPlan): string | undefined {
  if (cacheDir !== undefined) return resolve(cacheDir);
  const needsNone =
    output.kind === 'assets' ||
    base.kind === 'file' ||
    (isOneFile() && isHost(platform, process) && (base.version ?? ownVersion()) === ownVersion());
  return needsNone ? userCacheDir() : defaultCacheDir();
}

type Decided = Awaited<ReturnType<typeof decide>>;

/**
 * Reads the config, decides what to build, and checks that the output can be written, before any
 * long operation starts.
 */
async function decide(readConfig: () => Promise<BuildConfig>, flags: BuildFlags, report: Reporter) {
  const config = withFlags(await readConfig(), flags);
  const plan = planBuild(config, flags, { os: process.platform, cpu: process.arch });
  const cacheDir = buildCacheDir(plan);
  const origin = originOf(config, plan.output.path);
  const { target: output, release } = await claimOutput(
    {
      shown: plan.output.path,
      kind: plan.output.kind,
      product: { name: config.name, origin },
      inputs: await buildInputs(config, plan.base),
      force: plan.output.force,
    },
    report,
  );
  try {
    return { config, plan, cacheDir, origin, output, release, baseImage: await openBase(plan, output) };
  } catch (error) {
    release();
    throw error;
  }
}

/** Command-line flags override the config. */
export const withFlags = (config: BuildConfig, { quantize, distill }: BuildFlags): BuildConfig => ({
  ...config,
  ...(quantize === undefined ? {} : { quantize: { ...config.quantize, form: quantize } }),
  ...(distill === undefined ? {} : { distill: { ...config.distill, form: distill } }),
});

async function openBase(
  { baseImage, platform }: BuildPlan,
  output: FileTarget,
): Promise<BaseImage | undefined> {
  if (baseImage === undefined) return undefined;
  const opened = await openBaseImage(baseImage, platform);
  refuseFolderOf(opened.layout, output);
  return opened;
}

/**
 * The origin is the same for equal folder layouts or hub models, so that builds on different
 * machines produce the same bytes. A config from stdin has no path, so its model replaces only models with the same name.
 */
function originOf({ file, name }: BuildConfig, output: string): string {
  const place = (): string => relative(dirname(resolve(output)), realPath(file));
  const text = isHubReference(file) ? file : file === STDIN_NAME ? `${STDIN_NAME} ${name}` : place();
  return sha256(text).slice(0, 16);
}

/** If there is no config file, uses the path that it would have in the model folder. */
const realPath = (file: string): string =>
  existsSync(file) ? realpathSync(file) : join(realpathSync(dirname(file)), basename(file));

async function provide({ base, platform }: BuildPlan, cacheDir: string | undefined): Promise<ChosenBase> {
  if (base.kind === 'file')
    return { base: await openIntactBase(resolve(base.path), platform), origin: { path: base.path } };
  return await provideBase({
    platform,
    version: base.version ?? ownVersion(),
    // This is only undefined if the program itself is the base runtime.
    cacheDir: cacheDir ?? '',
    canDownload: base.canDownload,
  });
}
