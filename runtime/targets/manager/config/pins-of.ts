import type { ConfigFile } from './config-file.ts';
import type { PinsFile } from './pins-file.ts';
import { describeProblem } from './problems.ts';
import type { ServerEntry } from './server-entry.ts';
import type { ToolPins } from './tool-policy.ts';

/**
 * Returns the pinned tools of a server. With `on_change` and without pins, all of its tools count as new: if the file with the
 * pins gets lost, `on_change = "block"` still blocks them.
 */
export function pinsOf({ name, onChange }: ServerEntry, { servers }: PinsFile): ToolPins | undefined {
  const pinned = servers.get(name);
  if (!pinned && onChange === undefined) return undefined;
  const hashes = Object.entries(pinned ?? {}).map(([tool, { hash }]) => [tool, hash]);
  return { onChange: onChange ?? 'block', hashes: Object.fromEntries(hashes) };
}

/** Warns about servers with `on_change` that have no pinned tools. */
export const unpinnedWarnings = (
  { entries, locate }: ConfigFile,
  { servers }: PinsFile,
  file: string,
): string[] =>
  entries
    .filter(({ name, onChange, enabled }) => enabled && onChange !== undefined && !servers.has(name))
    .map(({ name, path }) =>
      describeProblem({
        file,
        line: locate([...path, 'on_change']),
        message: `server ${JSON.stringify(name)} has no pinned tools, so all of its tools count as new. Run \`mcp-manager pin ${name}\`.`,
      }),
    );
