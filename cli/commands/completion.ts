import { Args } from '@oclif/core';
import { COMPLETION_SHELLS, type CompletionShell } from '#core/cli/completion-shells.ts';
import { BaseCommand } from './base-command.ts';

export class Completion extends BaseCommand {
  static override summary = 'Print a shell completion script.';
  static override examples = [
    {
      description: 'bash: current shell only; add the same line to ~/.bashrc for every shell',
      command: 'source <(<%= config.bin %> completion bash)',
    },
    {
      description: 'zsh: add the same line to ~/.zshrc, after compinit',
      command: 'source <(<%= config.bin %> completion zsh)',
    },
    {
      description: 'fish: every shell',
      command: '<%= config.bin %> completion fish > ~/.config/fish/completions/<%= config.bin %>.fish',
    },
  ];
  static override args = {
    shell: Args.custom<CompletionShell>({
      options: [...COMPLETION_SHELLS],
      description: 'Shell to print the script for',
    })({ required: true }),
  };

  async run(): Promise<{ shell: string; script: string }> {
    const { args } = await this.parse(Completion);
    const { commandCompletions: completionScript } = await import('../services/completion/index.ts');
    const script = completionScript(args.shell, this.config.commands);
    this.log(script.trimEnd());
    return { shell: args.shell, script };
  }
}
