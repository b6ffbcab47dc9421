import { Errors } from '@oclif/core';
import { ExecutableCommand } from './executable-command.ts';

export class Try extends ExecutableCommand {
  static override summary = 'Run a model on texts: builds it into the cache, and prints the results.';
  static override description =
    'Words after the model are passed to `infer` of the executable. The next run of the same model uses the executable in the cache.';
  static override usage = 'try MODEL TEXT... [flags of try] [flags of infer]';
  static override examples = [
    '<%= config.bin %> try hf:org/name "some text"',
    '<%= config.bin %> try ./model "some text" "another text"',
    '<%= config.bin %> try hf:org/name --input texts.txt --output results.jsonl',
  ];

  async run(): Promise<void> {
    const { request, passed, quiet } = await this.started();
    if (passed.every((word) => word === '--json' || word === '--'))
      throw new Errors.CLIError('Missing text. Pass one or more texts after the model.');
    // The value of a flag can be empty.
    if (passed.some((word, at) => word === '' && !passed[at - 1]?.startsWith('-')))
      throw new Errors.CLIError('One of the texts is empty. Pass only texts with at least one character.');
    const { tryModel } = await import('../services/executables/index.ts');
    const exitCode = await tryModel(request, passed, this.reporter(quiet));
    if (exitCode !== 0) this.exit(exitCode);
  }
}
