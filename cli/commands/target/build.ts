import { Args, Flags } from '@oclif/core';
import { type BuildTarget, type TargetBuildResult, TARGETS } from '../../services/target/build-result.ts';
import { BaseCommand } from '../base-command.ts';
import { cacheDirFlag } from '../flags.ts';

export class TargetBuild extends BaseCommand {
  static override summary = 'Build encoderfile itself, mcp-manager or gateway as a single executable.';
  static override examples = [
    '<%= config.bin %> target build encoderfile -o encoderfile',
    '<%= config.bin %> target build manager -o mcp-manager',
    '<%= config.bin %> target build gateway -o gateway --platform linux-arm64',
  ];
  static override args = {
    target: Args.custom<BuildTarget>({ options: [...TARGETS], description: 'Program to build' })({
      required: true,
    }),
  };
  static override flags = {
    'output-path': Flags.string({
      char: 'o',
      summary: 'Output file (default: the name of the program, in the current directory)',
      helpValue: '<file>',
    }),
    platform: Flags.string({
      summary: 'Target platform, e.g. linux-arm64, or a target triple (default: this machine)',
      helpValue: '<platform>',
    }),
    'cache-dir': cacheDirFlag,
    'no-download': Flags.boolean({ summary: 'Do not download Node for other platforms' }),
    force: Flags.boolean({ summary: 'Overwrite a file that is not an earlier build of this program' }),
  };

  async run(): Promise<TargetBuildResult> {
    const { args, flags } = await this.parse(TargetBuild);
    const { buildTarget } = await import('../../services/target/build.ts');
    const { targetBuildText } = await import('../../services/target/build-result.ts');
    const result = await buildTarget(
      {
        target: args.target,
        output: flags['output-path'],
        platform: flags.platform,
        cacheDir: flags['cache-dir'],
        canDownload: !flags['no-download'],
        force: flags.force,
      },
      this.reporter(flags.quiet),
    );
    if (!flags.quiet) this.log(targetBuildText(result));
    return result;
  }
}
