import type { Invocation, Output } from '#serve/cli/command.ts';
import { printable } from '#serve/cli/terminal.ts';
import { durationOption, withEnvironment } from '#serve/cli/values.ts';
import { MCPD_COPY_OPTIONS } from './mcpd-options.ts';
import type { OpenedRegistry } from '../registry/open-registry.ts';

/**
 * Options for commands that look up servers in registries. Registries take precedence over the
 * built-in list.
 */
export const REGISTRY_OPTION = withEnvironment('MCP_MANAGER', {
  registry: {
    value: 'registry',
    help: 'Registry to search before the built-in list: a file, a URL, or official, docker or mcpm',
    repeatable: true,
  },
  'registry-max-age': {
    value: 'time',
    help: 'Maximum age of cached registries; 0s always downloads them',
    fallback: '1h',
  },
  ...MCPD_COPY_OPTIONS,
});

/** Opens the selected registries and prints warnings to stderr. */
export async function openRegistries(
  invocation: Invocation,
  output: Output,
  text: string | undefined,
): Promise<OpenedRegistry> {
  const { openRegistry } = await import('../registry/open-registry.ts');
  const isNew = invocation.flag('no-cache') || invocation.flag('refresh-cache');
  const opened = await openRegistry(invocation.values('registry'), {
    text,
    env: process.env,
    maxAgeMs: isNew ? 0 : (durationOption(invocation, 'registry-max-age', { zero: true }) ?? 0),
    now: Date.now,
  });
  for (const warning of [...opened.warnings, ...skippedTexts(opened)])
    output.err(printable(`Warning: ${warning}\n`));
  return opened;
}

/** Maximum number of skipped servers per registry that are listed individually with a reason. */
const MAX_EXPLAINED = 5;

/** Describes the skipped servers. `add` reports the reason for each one. */
const skippedTexts = ({ skipped }: OpenedRegistry): string[] =>
  [...Map.groupBy(skipped, ({ source }) => source)].flatMap(([source, servers]) =>
    servers.length <= MAX_EXPLAINED
      ? servers.map(({ id, reason }) => `${source}: skipped the server ${id}: ${reason}`)
      : [
          `${source}: ${servers.length} servers were skipped because they cannot be used: ${servers.map(({ id }) => id).join(', ')}.`,
        ],
  );
