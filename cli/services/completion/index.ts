import { bashScript } from './bash.ts';
import { type CommandMetadata, describeCommands } from './describe.ts';
import { fishScript } from './fish.ts';
import type { CompletionShell } from './shells.ts';
import { zshScript } from './zsh.ts';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** `encoderfile completion`: a script without any call of ours, so that a press of Tab costs nothing. Pure. */
export function completionScript(shell: CompletionShell, commands: readonly CommandMetadata[]): string {
  return SCRIPTS[shell](describeCommands(commands));
}
