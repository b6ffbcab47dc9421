import type { Invocation, Output } from '../../../../serve/cli/command.ts';
import { configPaths } from '../../config/config-paths.ts';

/** Edits the plugins in the file and prints whether the file changed. Resolves with the exit code. */
export async function editPlugins(
  invocation: Invocation,
  output: Output,
  change: (text: string) => string,
): Promise<number> {
  const paths = configPaths(invocation, process.env);
  const { editServers } = await import('../../config-edit/config-editor.ts');
  const changed = await editServers(paths, change);
  output.err(changed ? `Changed ${paths.config}.\n` : `Nothing to change in ${paths.config}.\n`);
  return 0;
}

/** Reads the configuration file; returns its text and path. */
export async function readPlugins(
  invocation: Invocation,
): Promise<{ readonly text: string; readonly path: string }> {
  const { readServersText } = await import('../../config/read-servers-text.ts');
  const { config: path } = configPaths(invocation, process.env);
  const { text } = await readServersText(path);
  return { text, path };
}
