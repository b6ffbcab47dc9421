import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { sha256 } from '../../../runtime/platform/sha256.ts';
import { ownVersion } from '../../adapters/own-files.ts';
import { defaultCacheDir } from '../../adapters/user-folders.ts';
import { withWorkFolder } from '../../adapters/work-folder.ts';
import { type BaseOrigin, type BaseRuntime, openIntactBase } from '../../packaging/base/base-runtime.ts';
import { provideBase } from '../../packaging/base/provide-base.ts';
import type { BuildConfig } from '../../config/build-config.ts';
import type { QuantizeForm } from '../../../runtime/contract/quantization.ts';
import { isHubReference } from '../../config/hub-reference.ts';
import { type BuildFlags, type BuildPlan, planBuild } from '../../packaging/plan.ts';
import type { Reporter } from '../../packaging/reporter.ts';
import { buildInputs } from '../../packaging/steps/build-inputs.ts';
import { checkOutput } from '../../packaging/steps/check-output.ts';
import { writeAssets } from '../../packaging/steps/write-assets.ts';
import { writeExecutable } from '../../packaging/steps/write-executable.ts';
import { type OciInput, writeOci } from '../../packaging/steps/write-oci.ts';
import { type BaseImage, openBaseImage } from '../../packaging/oci/open-base-image.ts';
import { creationTime } from '../../packaging/oci/creation-time.ts';
import { refuseFolderOf } from '../../packaging/oci/refuse-folder-of.ts';
import type { FileTarget } from '../../../runtime/platform/files/output-target.ts';
import { prepareModel } from '../prepare-model.ts';
import { type ConfigSource, readConfig } from '../read-config.ts';
import type { BuildResult } from './result.ts';

/** `encoderfile build`: the six steps of a build, from a config file to an executable. */
export async function build(source: ConfigSource, flags: BuildFlags, report: Reporter): Promise<BuildResult> {
  const started = performance.now();
  const { variant, offline } = flags;
  const config = withQuantize(await readConfig(source, { report, variant, offline }), flags.quantize);
  const plan = planBuild(config, flags, { os: process.platform, cpu: process.arch });
  const cacheDir = resolve(plan.cacheDir ?? defaultCacheDir());
  const origin = originOf(config.file, plan.output.path);
  const output = await checkOutput({
    shown: plan.output.path,
    kind: plan.output.kind,
    product: { name: config.name, origin },
    inputs: await buildInputs(config, plan.base),
    force: plan.output.force,
  });

  const baseImage = await openBase(plan, output);

  return await withWorkFolder(cacheDir, async (folder) => {
    // Both mostly wait for other processes, so they run concurrently; problems of the model are reported first.
    const base = plan.output.kind === 'assets' ? undefined : provide(plan, cacheDir);
    base?.catch(() => {});
    // Another version is only searched in the cache: that fails before the model is optimized.
    if (plan.base.kind === 'provided' && plan.base.version !== undefined) await base;
    const prepared = await prepareModel(config, folder, report);
    const model = { ...prepared, manifest: { ...prepared.manifest, origin } };
    const input = { output, model, baseImage, plan, workFolder: folder, report };
    const written = base
      ? await writeProduct({ ...input, base: await tell(base, report) })
      : { bytes: await writeAssets(resolve(plan.output.path), model) };
    return {
      kind: plan.output.kind,
      path: resolve(plan.output.path),
      ...written,
      platform: plan.platform.triple,
      seconds: (performance.now() - started) / 1000,
      manifest: model.manifest,
    };
  });
}

/** The flag overrides the config. */
const withQuantize = (config: BuildConfig, form: QuantizeForm | undefined): BuildConfig =>
  form === undefined ? config : { ...config, quantize: { ...config.quantize, form } };

async function openBase(
  { baseImage, platform }: BuildPlan,
  output: FileTarget,
): Promise<BaseImage | undefined> {
  if (baseImage === undefined) return undefined;
  const opened = await openBaseImage(baseImage, platform);
  refuseFolderOf(opened.layout, output);
  return opened;
}

async function writeProduct(
  input: Omit<OciInput, 'created'>,
): Promise<Pick<BuildResult, 'bytes' | 'image' | 'digest'>> {
  if (input.plan.output.kind !== 'oci') return { bytes: await writeExecutable(input) };
  return await writeOci({ ...input, created: creationTime(process.env['SOURCE_DATE_EPOCH']) });
}

/** Identical for identical folder layouts, or models on the hub, so that two machines produce the same bytes. */
const originOf = (configFile: string, output: string): string =>
  sha256(
    isHubReference(configFile) ? configFile : relative(dirname(resolve(output)), realPath(configFile)),
  ).slice(0, 16);

/** Without a config file, the path that it would have in the folder of the model. */
const realPath = (file: string): string =>
  existsSync(file) ? realpathSync(file) : join(realpathSync(dirname(file)), basename(file));

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
