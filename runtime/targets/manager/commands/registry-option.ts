import type { Option } from '../../../serve/cli/command.ts';

/** Where commands that know servers by name look for them, besides the built-in list. */
export const REGISTRY_OPTION = {
  registry: {
    value: 'file',
    help: 'A registry to look into first: a JSON file of servers',
    env: 'MCP_MANAGER_REGISTRY',
    repeatable: true,
  },
} satisfies Readonly<Record<string, Option>>;
