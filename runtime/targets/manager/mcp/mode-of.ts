import { AppError } from '#contract/errors.ts';
import type { ToolCaller } from '../access/caller.ts';
import { type McpMode, parseMcpMode } from '../config/mcp-mode.ts';

interface ModeParts {
  readonly mode: McpMode;
  readonly clientModes: readonly McpMode[];
}

/** Returns the mode of a caller that selected `selected` in the URL; undefined if it selected none. */
export type ModeOf = (caller: Pick<ToolCaller, 'mcpMode'>, selected: string | undefined) => McpMode;

/** The mode in the URL takes precedence if clients can select it, then that of the key or access token, of the group, and of the manager. */
export const createModeOf =
  ({ mode: default_, clientModes }: ModeParts): ModeOf =>
  ({ mcpMode }, selected) =>
    selected === undefined ? (mcpMode ?? default_) : requireSelectable(selected, clientModes);

function requireSelectable(selected: string, clientModes: readonly McpMode[]): McpMode {
  const mode = parseMcpMode(selected);
  if (mode && clientModes.includes(mode)) return mode;
  const allowed =
    clientModes.length === 0
      ? 'Clients of this manager cannot select a mode (--client-mcp-modes)'
      : `Clients can select ${clientModes.join(', ')}`;
  throw new AppError(
    'InputError',
    `mode: ${JSON.stringify(selected.slice(0, 50))} cannot be selected. ${allowed}. Remove mode from the URL, or change it.`,
  );
}

/** Returns `mode` in the query of a URL. */
export function selectedMode(url: string): string | undefined {
  const start = url.indexOf('?');
  if (start === -1) return undefined;
  return new URLSearchParams(url.slice(start)).get('mode') ?? undefined;
}
