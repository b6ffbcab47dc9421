import type { Invocation } from '#serve/cli/command.ts';
import { configPaths } from '../../config/config-paths.ts';

/** Reads the configuration file; returns its text and path. */
export async function readPlugins(
  invocation: Invocation,
): Promise<{ readonly text: string; readonly path: string }> {
  const { readServersText } = await import('../../config/read-servers-text.ts');
  const { config: path } = configPaths(invocation, process.env);
  const { text } = await readServersText(path);
  return { text, path };
}
