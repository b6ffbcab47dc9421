import { configError } from '#contract/errors.ts';
import type { Invocation, Output } from '#serve/cli/command.ts';
import { configPaths } from '../../config/config-paths.ts';
import { openRegistries } from '../registry-option.ts';

/** Returns the tools that a registry lists for the package of a server. */
export async function knownTools(
  invocation: Invocation,
  server: string,
  output: Output,
): Promise<readonly string[]> {
  const [{ readServersText }, { readServerKey }, { parsePackage }] = await Promise.all([
    import('../../config/read-servers-text.ts'),
    import('../../config-edit/servers-text.ts'),
    import('../../config/package-launch.ts'),
  ]);
  const { text } = await readServersText(configPaths(invocation, process.env).config);
  const written = readServerKey(text, server, 'package');
  const found = parsePackage(typeof written === 'string' ? written : '');
  const { entries } = await openRegistries(invocation, output, server);
  const entry =
    typeof found === 'string'
      ? undefined
      : entries.find(({ installations }) =>
          installations.some(
            ({ runtime, package: name }) => runtime === found.runtime && name === found.name,
          ),
        );
  if (entry) return entry.tools;
  throw configError(
    `No registry lists the package of ${server}. While the server runs, \`mcp-manager tools ${server}\` lists its tools.`,
  );
}
