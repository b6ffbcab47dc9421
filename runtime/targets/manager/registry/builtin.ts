import type { RegistryArgument, RegistryEntry } from './entry.ts';

/** Servers that are known without a registry file. Tools are listed if a release of the server reported them. */
export function builtinRegistry(): RegistryEntry[] {
  return [
    entry('filesystem', {
      description: 'Reads, writes and searches files in the allowed folders.',
      npx: ['@modelcontextprotocol/server-filesystem', '2026.8.31'],
      categories: ['Files'],
      tags: ['files', 'folders'],
      arguments: [positional('dir', 'Allowed folder.')],
      tools: [
        ...'read_file read_text_file read_media_file read_multiple_files write_file edit_file'.split(' '),
        ...'create_directory list_directory list_directory_with_sizes directory_tree move_file'.split(' '),
        ...'search_files get_file_info list_allowed_directories'.split(' '),
      ],
    }),
    entry('memory', {
      description: 'Stores a knowledge graph of entities and relations across conversations.',
      npx: ['@modelcontextprotocol/server-memory', '2026.8.31'],
      categories: ['Knowledge'],
      tags: ['memory', 'graph'],
      arguments: [variable('MEMORY_FILE_PATH', 'Path of the graph file.', false)],
      tools: [
        ...'create_entities create_relations add_observations delete_entities delete_observations'.split(' '),
        ...'delete_relations read_graph search_nodes open_nodes'.split(' '),
      ],
    }),
    entry('sequential-thinking', {
      description: 'Records steps of reasoning, with revisions and branches.',
      npx: ['@modelcontextprotocol/server-sequential-thinking', '2026.8.31'],
      categories: ['Reasoning'],
      tags: ['thinking', 'planning'],
      tools: ['sequentialthinking'],
    }),
    entry('everything', {
      description: 'Uses every feature of the protocol, to test clients.',
      npx: ['@modelcontextprotocol/server-everything', '2026.8.31'],
      categories: ['Development'],
      tags: ['test'],
      tools: [
        ...'echo get-annotated-message get-env get-resource-links get-resource-reference'.split(' '),
        ...'get-structured-content get-sum get-tiny-image gzip-file-as-resource'.split(' '),
        ...'toggle-simulated-logging toggle-subscriber-updates trigger-long-running-operation'.split(' '),
        'simulate-research-query',
      ],
    }),
    entry('time', {
      description: 'Returns the current time in a time zone and converts times between zones.',
      uvx: ['mcp-server-time', '2026.10.19'],
      license: 'MIT',
      categories: ['Utilities'],
      tags: ['time', 'timezone'],
      arguments: [
        {
          name: '--local-timezone',
          type: 'argument',
          required: false,
          description: 'Default time zone.',
        },
      ],
      tools: ['get_current_time', 'convert_time'],
    }),
    entry('fetch', {
      description: 'Fetches web pages and converts them to Markdown.',
      uvx: ['mcp-server-fetch', '2026.10.24'],
      license: 'MIT',
      categories: ['Web'],
      tags: ['web', 'http'],
      tools: ['fetch'],
    }),
    entry('git', {
      description: 'Reads and modifies Git repositories.',
      npx: ['@cyanheads/git-mcp-server', '2.15.3'],
      official: false,
      license: 'Apache-2.0',
      categories: ['Development'],
      tags: ['git', 'repository'],
      tools: [
        ...'git_add git_blame git_branch git_changelog_analyze git_checkout git_cherry_pick'.split(' '),
        ...'git_clean git_clear_working_dir git_clone git_commit git_diff git_fetch git_init'.split(' '),
        ...'git_log git_merge git_pull git_push git_rebase git_reflog git_remote git_reset'.split(' '),
        ...'git_set_working_dir git_show git_stash git_status git_tag git_worktree'.split(' '),
        'git_wrapup_instructions',
      ],
    }),
    entry('playwright', {
      description: 'Controls a web browser.',
      npx: ['@playwright/mcp', '0.0.83'],
      official: false,
      license: 'Apache-2.0',
      categories: ['Web'],
      tags: ['browser', 'test'],
    }),
    entry('chrome-devtools', {
      description: 'Inspects and controls a running Chrome.',
      npx: ['chrome-devtools-mcp', '1.11.0'],
      official: false,
      license: 'Apache-2.0',
      categories: ['Web', 'Development'],
      tags: ['browser', 'debugging'],
    }),
    entry('mongodb', {
      description: 'Queries MongoDB databases and Atlas clusters.',
      npx: ['mongodb-mcp-server', '3.0.4'],
      official: false,
      license: 'Apache-2.0',
      categories: ['Databases'],
      tags: ['mongodb', 'database'],
      arguments: [variable('MDB_MCP_CONNECTION_STRING', 'Database connection string.', false)],
    }),
    entry('github', {
      description: 'Works with repositories, issues and pull requests on GitHub.',
      npx: ['@modelcontextprotocol/server-github', '2025.4.8'],
      deprecated: true,
      license: 'MIT',
      categories: ['Development'],
      tags: ['github', 'git'],
      arguments: [variable('GITHUB_PERSONAL_ACCESS_TOKEN', 'Access token with the required scopes.')],
    }),
    entry('gitlab', {
      description: 'Works with projects, issues and merge requests on GitLab.',
      npx: ['@modelcontextprotocol/server-gitlab', '2025.4.25'],
      deprecated: true,
      license: 'MIT',
      categories: ['Development'],
      tags: ['gitlab', 'git'],
      arguments: [
        variable('GITLAB_PERSONAL_ACCESS_TOKEN', 'Access token with the required scopes.'),
        variable('GITLAB_API_URL', 'API URL of a self-managed instance.', false),
      ],
    }),
    entry('slack', {
      description: 'Reads channels and posts messages in Slack.',
      npx: ['@modelcontextprotocol/server-slack', '2025.4.25'],
      deprecated: true,
      license: 'MIT',
      categories: ['Communication'],
      tags: ['slack', 'chat'],
      arguments: [variable('SLACK_BOT_TOKEN', 'Bot token.'), variable('SLACK_TEAM_ID', 'Workspace ID.')],
    }),
    entry('postgres', {
      description: 'Runs read-only queries on a PostgreSQL database.',
      npx: ['@modelcontextprotocol/server-postgres', '0.6.2'],
      deprecated: true,
      license: 'MIT',
      categories: ['Databases'],
      tags: ['postgres', 'sql', 'database'],
      arguments: [positional('database-url', 'Database URL, e.g. postgresql://host/name.')],
    }),
    entry('redis', {
      description: 'Reads and writes keys on a Redis server.',
      npx: ['@modelcontextprotocol/server-redis', '2025.4.25'],
      deprecated: true,
      license: 'MIT',
      categories: ['Databases'],
      tags: ['redis', 'database'],
      arguments: [positional('redis-url', 'Server URL, e.g. redis://host:6379.')],
    }),
  ];
}

interface Facts {
  readonly description: string;
  readonly npx?: readonly [name: string, version: string];
  readonly uvx?: readonly [name: string, version: string];
  /** Whether the server belongs to the MCP project; true by default. */
  readonly official?: boolean;
  readonly deprecated?: boolean;
  /** Undefined if files have different licenses. */
  readonly license?: string;
  readonly categories: readonly string[];
  readonly tags: readonly string[];
  readonly arguments?: readonly RegistryArgument[];
  readonly tools?: readonly string[];
}

function entry(id: string, facts: Facts): RegistryEntry {
  const runtimes = [
    { runtime: 'npx', found: facts.npx },
    { runtime: 'uvx', found: facts.uvx },
  ] as const;
  return {
    id,
    name: id,
    description: facts.description,
    license: facts.license ?? '',
    categories: facts.categories,
    tags: facts.tags,
    isOfficial: facts.official ?? true,
    deprecated: facts.deprecated ?? false,
    tools: facts.tools ?? [],
    arguments: facts.arguments ?? [],
    remotes: [],
    installations: runtimes.flatMap(({ runtime, found }) =>
      found
        ? [{ runtime, package: found[0], version: found[1], recommended: true, args: [], volumes: {} }]
        : [],
    ),
    source: 'built-in',
  };
}

const variable = (name: string, description: string, required = true): RegistryArgument => ({
  name,
  type: 'environment',
  required,
  description,
});

const positional = (name: string, description: string): RegistryArgument => ({
  name,
  type: 'argument_positional',
  required: true,
  description,
});
