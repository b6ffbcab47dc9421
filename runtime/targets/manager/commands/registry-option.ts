import type { Option } from '../../../serve/cli/command.ts';

/** The option of commands that look up servers in registry files, which come before the built-in list. */
export const REGISTRY_OPTION = {
  registry: {
    value: 'file',
    help: 'Registry file (JSON) to search before the built-in list',
    env: 'MCP_MANAGER_REGISTRY',
    repeatable: true,
  },
} satisfies Readonly<Record<string, Option>>;
