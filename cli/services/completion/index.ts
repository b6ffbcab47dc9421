import { bashScript } from './bash.ts';
import { type CommandMetadata, describeCommands } from './describe.ts';
import { fishScript } from './fish.ts';
import type { CompletionShell } from '#core/cli/completion-shells.ts';
import { zshScript } from './zsh.ts';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** `encoderfile completion`: creates a static script that never calls the program, so that completion is instant. Pure. */
export function commandCompletions(shell: CompletionShell, commands: readonly CommandMetadata[]): string {
  return SCRIPTS[shell](describeCommands(commands));
}
