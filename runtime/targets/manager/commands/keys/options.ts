import type { Invocation, Option } from '#serve/cli/command.ts';
import { JSON_OPTION } from '#serve/cli/output-format.ts';
import { configPaths, keysPath } from '../../config/config-paths.ts';
import { CONFIG_OPTIONS } from '../config-options.ts';

/** Options shared by all key commands. */
export const KEYS_OPTIONS = {
  ...CONFIG_OPTIONS,
  'keys-file': {
    value: 'file',
    help: 'File with the API keys',
    defaultText: 'keys.jsonl next to the secrets file',
    env: 'MCP_MANAGER_KEYS_FILE',
  },
  ...JSON_OPTION,
} satisfies Readonly<Record<string, Option>>;

export const keysFile = (invocation: Invocation): string =>
  keysPath(invocation.value('keys-file'), configPaths(invocation, process.env));
