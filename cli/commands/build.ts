import { Flags } from '@oclif/core';
import { build } from '../services/build/index.ts';
import { type BuildResult, buildSummary } from '../services/build/result.ts';
import { BaseCommand } from './base-command.ts';

export class Build extends BaseCommand {
  static override summary = 'Build one executable file from an ONNX model and a config file.';
  static override examples = [
    '<%= config.bin %> build -f encoderfile.yml',
    '<%= config.bin %> build -f encoderfile.yml -o ./sentiment --platform linux-arm64',
  ];
  static override flags = {
    config: Flags.string({
      char: 'f',
      required: true,
      summary: 'YAML config file',
      env: 'ENCODERFILE_CONFIG',
    }),
    'output-path': Flags.string({
      char: 'o',
      summary: 'File to write (overrides the config)',
      exclusive: ['output-dir'],
    }),
    'output-dir': Flags.string({ summary: 'Folder to write <name>.encoder into (overrides the config)' }),
    'cache-dir': Flags.string({
      summary: 'Folder for base runtimes (overrides the config)',
      env: 'ENCODERFILE_BUILD_CACHE_DIR',
    }),
    'no-build': Flags.boolean({ summary: 'Write the assets folder without building an executable' }),
    'base-binary-path': Flags.string({ summary: 'Use this base runtime instead of the cached one' }),
    platform: Flags.string({
      summary: 'Target platform, as linux-arm64 or a target triple (default: this machine)',
    }),
    'runtime-version': Flags.string({ summary: 'Version of the base runtime (default: this version)' }),
    'no-download': Flags.boolean({ summary: 'Never download a base runtime' }),
  };

  async run(): Promise<BuildResult> {
    const { flags } = await this.parse(Build);
    const result = await build(
      flags.config,
      {
        outputPath: flags['output-path'],
        outputDir: flags['output-dir'],
        cacheDir: flags['cache-dir'],
        noBuild: flags['no-build'],
        baseBinaryPath: flags['base-binary-path'],
        platform: flags.platform,
        runtimeVersion: flags['runtime-version'],
        noDownload: flags['no-download'],
      },
      this.reporter(flags.quiet),
    );
    if (!flags.quiet) this.log(buildSummary(result));
    return result;
  }
}
