import type { Invocation, Output } from '#serve/cli/command.ts';
import { configPaths } from '../config/config-paths.ts';

/** Edits the servers file and reports whether it changed. Resolves with the exit code. */
export async function editServersFile(
  invocation: Invocation,
  output: Output,
  change: (text: string) => string,
): Promise<number> {
  const paths = configPaths(invocation, process.env);
  const { editServers } = await import('../config-edit/config-editor.ts');
  const changed = await editServers(paths, change);
  output.err(changed ? `Changed ${paths.config}.\n` : `Nothing to change in ${paths.config}.\n`);
  return 0;
}
