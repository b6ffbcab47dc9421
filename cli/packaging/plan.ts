import type {
  CardFacts,
  Manifest,
  ModelLicense,
  ModelSourceFacts,
  TypeFacts,
  WindowSettings,
} from '#contract/manifest.ts';
import type { Quantization, QuantizeForm } from '#contract/quantization.ts';
import type { DistillForm } from '#contract/token-table.ts';
import type { FixedShape } from '#contract/fixed-shape.ts';
import type { ModelType } from '#contract/model-types.ts';
import type { TransformSettings } from '#contract/transform.ts';
import { type Platform, PLATFORMS, shortName } from '#contract/platforms.ts';
import { configError } from '#contract/errors.ts';
import type { BuildConfig } from '../config/build-config.ts';
import { defaultOutputName } from '../config/output-name.ts';
import { gpuModelProblem } from '#core/model/device-support.ts';
import { suggest } from '#core/text/suggest.ts';
import { trimEndOf } from '#core/text/trim-text.ts';

type OutputFormat = 'executable' | 'oci';

/** Command-line settings of a build; each overrides the config file. */
export interface BuildFlags {
  readonly outputPath?: string | undefined;
  readonly outputDir?: string | undefined;
  readonly cacheDir?: string | undefined;
  readonly noBuild: boolean;
  readonly format: OutputFormat;
  /** OCI layout of the base image: `PATH` or `PATH:TAG`. */
  readonly baseImage?: string | undefined;
  readonly baseBinaryPath?: string | undefined;
  readonly platform?: string | undefined;
  readonly runtimeVersion?: string | undefined;
  readonly noDownload: boolean;
  readonly force: boolean;
  /** Whether and how to quantize the model. */
  readonly quantize?: QuantizeForm | undefined;
  /** Whether to build a static form of the model. */
  readonly distill?: DistillForm | undefined;
  /** Which of the model folder's graphs to use. */
  readonly variant?: string | undefined;
  /** The model type. */
  readonly modelType?: ModelType | undefined;
  /** Whether a model from the hub must already be in the cache. */
  readonly offline?: boolean | undefined;
}

export interface BuildHost {
  readonly os: string;
  readonly cpu: string;
}

/**
 * All decisions of a build, which are made before it starts. Paths are as the user wrote them,
 * relative to the current directory.
 */
export interface BuildPlan {
  readonly config: BuildConfig;
  readonly platform: Platform;
  readonly output: {
    readonly kind: OutputFormat | 'assets';
    readonly path: string;
    /** Whether a file with another model can be overwritten. */
    readonly force: boolean;
  };
  readonly cacheDir: string | undefined;
  /** OCI layout of the base image; undefined for a minimal image. */
  readonly baseImage: string | undefined;
  readonly base:
    | { readonly kind: 'file'; readonly path: string }
    | { readonly kind: 'provided'; readonly version: string | undefined; readonly canDownload: boolean };
}

/** Decides what to build, from which inputs, for which platform and to which path. Pure. */
export function planBuild(config: BuildConfig, flags: BuildFlags, host: BuildHost): BuildPlan {
  const target = flags.platform ?? config.target;
  const platform = target === undefined ? hostPlatform(host) : parsePlatform(target);
  const basePath = flags.baseBinaryPath ?? config.baseBinaryPath;
  const kind = outputKind(config, flags, platform, host);
  return {
    config,
    platform,
    output: { kind, path: outputPath(kind, config, flags, platform), force: flags.force },
    cacheDir: flags.cacheDir ?? config.cacheDir,
    baseImage: flags.baseImage,
    base: basePath
      ? { kind: 'file', path: basePath }
      : { kind: 'provided', version: flags.runtimeVersion, canDownload: !flags.noDownload },
  };
}

function outputKind(
  config: BuildConfig,
  flags: BuildFlags,
  platform: Platform,
  host: BuildHost,
): BuildPlan['output']['kind'] {
  const builds = config.build && !flags.noBuild;
  if (flags.format !== 'oci') {
    if (flags.baseImage === undefined) return builds ? 'executable' : 'assets';
    throw configError('--base-image is only used for images. Add --format oci, or remove it.');
  }
  if (!builds) {
    const setting = flags.noBuild ? '--no-build' : '`build: false` in the config';
    throw configError(
      `--format oci conflicts with ${setting}, which skips building an executable. Remove one of them.`,
    );
  }
  if (platform.os !== 'linux') {
    throw configError(
      `Cannot build an OCI image for ${shortName(platform)}: images contain Linux programs. Pass --platform linux-x64 or linux-arm64.`,
    );
  }
  if (flags.baseImage === undefined && (platform.os !== host.os || platform.cpu !== host.cpu)) {
    throw configError(
      `An image for ${shortName(platform)} needs the system libraries of that platform, which this machine (${host.os}-${host.cpu}) does not have. Pass --base-image with an image for ${shortName(platform)}.`,
    );
  }
  return 'oci';
}

/** Whether an image is written as a file instead of a folder. */
export const isArchive = (path: string): boolean => path.endsWith('.tar');

function outputPath(
  kind: BuildPlan['output']['kind'],
  config: BuildConfig,
  flags: BuildFlags,
  platform: Platform,
): string {
  const path = flags.outputPath ?? outputIn(flags.outputDir, config, platform);
  if (kind === 'executable') return path;
  const isNamed = flags.outputPath !== undefined || isArchive(path) || path.endsWith('.oci');
  if (kind === 'oci' && isNamed) return trimEndOf(path, '/\\') || path.slice(0, 1);
  return `${path.replace(/\.encoder(\.exe)?$/, '')}.${kind}`;
}

function outputIn(folder: string | undefined, config: BuildConfig, platform: Platform): string {
  const name = defaultOutputName(config.name, platform.exeSuffix);
  if (folder !== undefined) return `${trimEndOf(folder, '/\\')}/${name}`;
  return config.outputPath ?? `./${name}`;
}

/** Finds a platform by its target triple or its short name (linux-x64, macos-arm64 ...). */
export function parsePlatform(name: string): Platform {
  const wanted = name.trim().toLowerCase();
  const found = PLATFORMS.find((platform) => namesOf(platform).includes(wanted));
  if (found) return found;
  if (/^(x86_64-apple-darwin|(darwin|macos|mac)-(x64|x86_64|amd64))$/.test(wanted)) {
    throw configError(
      `Unsupported platform ${name}: ONNX Runtime no longer provides a Node library for Intel Macs (since version 1.24).`,
    );
  }
  const known = PLATFORMS.flatMap((platform) => [platform.triple, shortName(platform)]);
  const similar = suggest(wanted, known);
  throw configError(
    `Unknown platform ${JSON.stringify(name)}${similar ? `; did you mean ${similar}?` : '.'} ` +
      `Platforms: ${PLATFORMS.map((platform) => `${platform.triple} (${shortName(platform)})`).join(', ')}.`,
  );
}

function namesOf({ triple, os, cpu }: Platform): string[] {
  const systems = {
    linux: ['linux'],
    darwin: ['darwin', 'macos', 'mac'],
    win32: ['win32', 'windows', 'win'],
  }[os];
  const cpus = { x64: ['x64', 'x86_64', 'amd64'], arm64: ['arm64', 'aarch64'] }[cpu];
  return [triple, ...systems.flatMap((system) => cpus.map((name) => `${system}-${name}`))];
}

/** The platform of this machine. */
export function hostPlatform(host: BuildHost): Platform {
  const found = PLATFORMS.find(({ os, cpu }) => os === host.os && cpu === host.cpu);
  if (found) return found;
  throw configError(
    `This machine (${host.os}-${host.cpu}) is not a supported platform. Set one with --platform.`,
  );
}

/** Model facts that are only known after the model is loaded. */
export type ModelFacts = Pick<
  Manifest,
  'inputs' | 'output' | 'width' | 'precision' | 'batching' | 'tokenizer'
> & {
  readonly fixedShape: FixedShape | undefined;
  readonly firstPosition: number | undefined;
  readonly graphChanges: readonly string[] | undefined;
  readonly quantization: Quantization | undefined;
  readonly attentionHeads: number | undefined;
  readonly windows: WindowSettings | undefined;
  /** The manifest members that only models of this type have. */
  readonly ofType: TypeFacts;
  readonly transform: TransformSettings | undefined;
  readonly source: ModelSourceFacts | undefined;
  readonly license: ModelLicense | undefined;
  readonly card: CardFacts | undefined;
};

/** Builds the manifest of the executable. */
export function planManifest(config: BuildConfig, facts: ModelFacts, builderVersion: string): Manifest {
  const {
    graphChanges,
    quantization,
    attentionHeads,
    windows,
    ofType,
    transform,
    source,
    license,
    card,
    ...others
  } = facts;
  const { fixedShape, firstPosition, ...rest } = others;
  const start = {
    name: config.name,
    version: config.version,
    modelType: config.modelType,
    builtBy: `encoderfile ${builderVersion}`,
  };
  const manifest = {
    ...start,
    ...rest,
    ...(fixedShape ? { fixedShape } : {}),
    ...(firstPosition === undefined ? {} : { firstPosition }),
    ...(graphChanges ? { graphChanges } : {}),
    ...(quantization ? { quantization } : {}),
    ...(windows ? { windows } : {}),
    ...(attentionHeads === undefined ? {} : { attentionHeads }),
    ...ofType,
    ...(config.device === undefined ? {} : { device: config.device }),
    ...(transform ? { transform: settingsOf(transform) } : {}),
    ...(source ? { source } : {}),
    ...(license ? { license } : {}),
    ...(card ? { card } : {}),
  };
  checkDevice(manifest);
  return manifest;
}

/** An executable that requires a GPU by default could not start if its model cannot run on one. */
function checkDevice(manifest: Manifest): void {
  const problem = manifest.device === 'gpu' ? gpuModelProblem(manifest) : undefined;
  if (problem !== undefined) throw configError(`\`device: gpu\`: ${problem}. Use auto or cpu.`);
}

const settingsOf = ({ name, firstLine, libraries, limits }: TransformSettings): TransformSettings => ({
  name,
  firstLine,
  libraries,
  limits,
});
