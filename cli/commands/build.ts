import { Flags } from '@oclif/core';
import type { BuildResult } from '../services/build-executable/result.ts';
import { BaseCommand } from './base-command.ts';
import { configSource } from './config-source.ts';
import {
  configFlag,
  distillFlag,
  folderArg,
  modelTypeFlag,
  offlineFlag,
  quantizeFlag,
  variantFlag,
} from './flags.ts';

const BASE = 'BASE RUNTIME';

export class Build extends BaseCommand {
  static override summary =
    'Build a single executable or an OCI image from a model folder (safetensors or ONNX), a Hugging Face Hub model or a config file.';
  static override examples = [
    '<%= config.bin %> build ./model',
    '<%= config.bin %> build hf:org/name',
    '<%= config.bin %> build ./model --variant fp16 --model-type sentence_embedding',
    '<%= config.bin %> build -f encoderfile.yml',
    '<%= config.bin %> build -f encoderfile.yml -o ./sentiment --platform linux-arm64',
    '<%= config.bin %> build -f encoderfile.yml --format oci',
  ];
  static override args = { folder: folderArg };
  static override flags = {
    config: configFlag,
    'model-type': modelTypeFlag,
    variant: variantFlag,
    quantize: quantizeFlag,
    distill: distillFlag,
    offline: offlineFlag,
    'output-path': Flags.string({
      char: 'o',
      summary: 'Output file (overrides the config)',
      exclusive: ['output-dir'],
      helpValue: '<file>',
    }),
    'output-dir': Flags.string({
      summary: 'Output folder; the file is named <name>.encoder (overrides the config)',
      helpValue: '<folder>',
    }),
    'no-build': Flags.boolean({ summary: 'Write the assets folder without building an executable' }),
    format: Flags.option({
      options: ['executable', 'oci'] as const,
      default: 'executable' as const,
      summary:
        'Output format; an OCI image is written to the folder <name>.oci, or to an archive if -o ends in .tar',
    })(),
    'base-image': Flags.string({
      summary: "OCI layout of the image to extend (default: a minimal image with this machine's libraries)",
      helpValue: '<folder[:tag]>',
    }),
    platform: Flags.string({
      summary: 'Target platform, e.g. linux-arm64, or a target triple (default: this machine)',
      helpValue: '<platform>',
    }),
    'cache-dir': Flags.string({
      summary: 'Cache folder for base runtimes (overrides the config)',
      env: 'ENCODERFILE_BUILD_CACHE_DIR',
      helpValue: '<folder>',
      helpGroup: BASE,
    }),
    'base-binary-path': Flags.string({
      summary: 'Base runtime to use instead of the cached one',
      helpValue: '<file>',
      helpGroup: BASE,
    }),
    'runtime-version': Flags.string({
      summary: 'Base runtime version (default: the encoderfile version)',
      helpValue: '<version>',
      helpGroup: BASE,
    }),
    'no-download': Flags.boolean({
      summary: 'Do not download anything to build the base runtime',
      helpGroup: BASE,
    }),
    force: Flags.boolean({
      summary: 'Overwrite output created by another config file or another program',
    }),
    timing: Flags.boolean({
      summary: 'Print the duration of each step since process start to stderr; with --json, as one JSON line',
    }),
  };

  async run(): Promise<BuildResult> {
    const parsed = await this.parse(Build);
    const { flags } = parsed;
    const { build } = await import('../services/build-executable/index.ts');
    const { buildSummary } = await import('../services/build-executable/result.ts');
    const { createBuildTiming } = await import('../services/build-executable/build-timing.ts');
    const timing = flags.timing ? createBuildTiming() : undefined;
    const result = await build(
      configSource(parsed),
      {
        outputPath: flags['output-path'],
        outputDir: flags['output-dir'],
        cacheDir: flags['cache-dir'],
        noBuild: flags['no-build'],
        format: flags.format,
        baseImage: flags['base-image'],
        baseBinaryPath: flags['base-binary-path'],
        platform: flags.platform,
        runtimeVersion: flags['runtime-version'],
        noDownload: flags['no-download'] || flags.offline,
        offline: flags.offline,
        force: flags.force,
        variant: flags.variant,
        modelType: flags['model-type'],
        quantize: flags.quantize,
        distill: flags.distill,
      },
      { ...this.reporter(flags.quiet), onStep: timing?.onStep },
    );
    if (timing) process.stderr.write(timing.text(this.jsonEnabled() ? 'json' : 'table'));
    if (!flags.quiet) this.log(buildSummary(result));
    return result;
  }
}
