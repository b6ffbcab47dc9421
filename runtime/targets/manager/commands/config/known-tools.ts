import { configError } from '../../../../contract/errors.ts';
import type { Invocation } from '../../../../serve/cli/command.ts';
import { configPaths } from '../../config/config-paths.ts';

/** The tools that a registry knows of the package a server is started from. */
export async function knownTools(invocation: Invocation, server: string): Promise<readonly string[]> {
  const [{ readServersText }, { readServerKey }, { openRegistry }, { parsePackage }] = await Promise.all([
    import('../../config/read-servers-text.ts'),
    import('../../config-edit/servers-text.ts'),
    import('../../registry/open-registry.ts'),
    import('../../config/package-launch.ts'),
  ]);
  const { text } = await readServersText(configPaths(invocation, process.env).config);
  const written = readServerKey(text, server, 'package');
  const found = parsePackage(typeof written === 'string' ? written : '');
  const entries = await openRegistry(invocation.values('registry'));
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
    `No registry knows the package of ${server}. While it runs, \`mcp-manager tools ${server}\` asks the server itself.`,
  );
}
