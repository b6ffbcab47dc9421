import { Args } from '@oclif/core';
import { ExecutableCommand } from './executable-command.ts';

export class Run extends ExecutableCommand {
  static override summary =
    'Serve a model over HTTP, gRPC and MCP: an executable, or a model that is built into the cache.';
  static override description =
    'Words after the model are passed to `serve` of the executable. Run an executable with `serve --help` to list its flags.';
  static override usage = 'run MODEL [flags of run] [flags of serve]';
  static override examples = [
    '<%= config.bin %> run sentiment.encoder --local',
    '<%= config.bin %> run hf:org/name --http-port 8000',
    '<%= config.bin %> run name --local',
  ];
  static override args = {
    model: Args.string({
      required: true,
      ignoreStdin: true,
      description:
        'Executable, model folder, Hugging Face Hub model such as hf:org/name, or the name of a model that `try` or `run` built into the cache',
    }),
  };

  async run(): Promise<void> {
    const { request, passed, quiet } = await this.started();
    const { runModel } = await import('../services/executables/index.ts');
    const exitCode = await runModel(request, passed, this.reporter(quiet));
    if (exitCode !== 0) this.exit(exitCode);
  }
}
