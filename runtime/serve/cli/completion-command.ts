import { COMPLETION_SHELLS } from '#core/cli/completion-shells.ts';
import { type Command, UsageError } from './command.ts';
import { exactly } from './positionals.ts';

/** The `completion` command: prints a shell completion script. */
export const completionCommand: Command = {
  summary: 'Print a shell completion script for bash, zsh or fish.',
  positionals: '<shell>',
  options: {},
  async run(invocation, output, program) {
    const [shell] = exactly(invocation, '<shell>');
    const known = COMPLETION_SHELLS.find((candidate) => candidate === shell);
    if (!known)
      throw new UsageError(
        `Unknown shell ${JSON.stringify(shell)}. Shells: ${COMPLETION_SHELLS.join(', ')}.`,
      );
    const { completionScript } = await import('./completion-scripts.ts');
    output.out(completionScript(known, program));
    return 0;
  },
};
