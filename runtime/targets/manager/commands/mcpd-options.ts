import { commonOptions } from '#serve/cli/common-options.ts';
import { COMMON_FLAGS } from '#core/cli/common-flags.ts';
import type { Option } from '#serve/cli/command.ts';

type Options = Readonly<Record<string, Option>>;

/**
 * Every mcpd command has these flags. In this program, only the daemon writes a log, and all other
 * commands ignore the flags.
 */
export const MCPD_LOG_OPTIONS = {
  ...commonOptions({
    'log-level': { choices: [...COMMON_FLAGS['log-level'].choices, 'trace', 'off'], origin: 'mcpd' },
  }),
  'log-path': { value: 'file', help: 'Log file', origin: 'mcpd' },
} satisfies Options;

/** mcpd flags for cached registries. `registry-option.ts` supports all of them except the folder. */
export const MCPD_COPY_OPTIONS = {
  'no-cache': { help: 'Do not cache registries', origin: 'mcpd' },
  'refresh-cache': { help: 'Refresh all cached registries', origin: 'mcpd' },
  'cache-dir': { value: 'folder', help: 'Folder for cached registries', origin: 'mcpd' },
} satisfies Options;

/** Flags for commands that read registries in mcpd, but not in this program. */
export const MCPD_CACHE_OPTIONS = {
  ...MCPD_COPY_OPTIONS,
  'cache-ttl': { value: 'time', help: 'Maximum age of cached registries', origin: 'mcpd' },
} satisfies Options;

/** mcpd asks for confirmation before clearing values. */
export const MCPD_FORCE_OPTION = { force: { help: 'Clear the values', origin: 'mcpd' } } satisfies Options;
