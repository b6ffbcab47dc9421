/** A published server whose tools are searched. Dummy credentials are sufficient to list tools. */
export interface ListedServer {
  readonly name: string;
  readonly command: 'npx' | 'uvx';
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

type Env = Readonly<Record<string, string>>;

export const npx = (
  name: string,
  source: string,
  args: readonly string[] = [],
  env: Env = {},
): ListedServer => ({
  name,
  command: 'npx',
  args: ['--yes', source, ...args],
  env,
});

/** `program` if the package's program has another name. */
export const uvx = (
  name: string,
  source: string,
  args: readonly string[] = [],
  env: Env = {},
  program = source.replace(/==.*/, ''),
): ListedServer => ({
  name,
  command: 'uvx',
  // Packages without an upper bound for the MCP SDK need one.
  args: ['--from', source, '--with', 'mcp<2', program, ...args],
  env,
});

export const LISTED_SERVERS: readonly ListedServer[] = [
  npx('github', '@modelcontextprotocol/server-github@2025.4.8', [], { GITHUB_PERSONAL_ACCESS_TOKEN: 'x' }),
  npx('filesystem', '@modelcontextprotocol/server-filesystem@2026.8.31', ['.']),
  npx('slack', '@modelcontextprotocol/server-slack@2025.4.25', [], {
    SLACK_BOT_TOKEN: 'x',
    SLACK_TEAM_ID: 'x',
  }),
  npx('google-maps', '@modelcontextprotocol/server-google-maps@0.6.2', [], { GOOGLE_MAPS_API_KEY: 'x' }),
  npx('brave-search', '@modelcontextprotocol/server-brave-search@0.6.2', [], { BRAVE_API_KEY: 'x' }),
  npx('memory', '@modelcontextprotocol/server-memory@2026.8.31'),
  npx('thinking', '@modelcontextprotocol/server-sequential-thinking@2026.8.31'),
  npx('notion', '@notionhq/notion-mcp-server@2.5.2', [], { NOTION_TOKEN: 'x' }),
  npx('kubernetes', 'mcp-server-kubernetes@4.1.7'),
  npx('mongodb', 'mongodb-mcp-server@3.0.4', [], { MDB_MCP_CONNECTION_STRING: 'mongodb://127.0.0.1:1/x' }),
  npx('circleci', '@circleci/mcp-server-circleci@0.20.0', [], { CIRCLECI_TOKEN: 'x' }),
  npx('airtable', 'airtable-mcp-server@1.14.0', [], { AIRTABLE_API_KEY: 'pat1.x' }),
  npx('figma', 'figma-developer-mcp@0.13.2', ['--figma-api-key', 'x', '--stdio']),
  npx('mapbox', '@mapbox/mcp-server@0.14.0', [], { MAPBOX_ACCESS_TOKEN: 'pk.eyJ1IjoieCJ9.x' }),
  npx('charts', '@antv/mcp-server-chart@0.9.10'),
  npx('xero', '@xeroapi/xero-mcp-server@0.0.17', [], { XERO_CLIENT_ID: 'x', XERO_CLIENT_SECRET: 'x' }),
  npx('firecrawl', 'firecrawl-mcp@3.26.0', [], { FIRECRAWL_API_KEY: 'x' }),
  npx('tavily', 'tavily-mcp@0.2.22', [], { TAVILY_API_KEY: 'x' }),
  npx('playwright', '@playwright/mcp@0.0.83'),
  npx('desktop-commander', '@wonderwhy-er/desktop-commander@0.2.52'),
  npx('launchdarkly', '@launchdarkly/mcp-server@0.6.2', ['start', '--api-key', 'api-x']),
  npx('pinecone', '@pinecone-database/mcp@0.3.0', [], { PINECONE_API_KEY: 'x' }),
  uvx('sqlite', 'mcp-server-sqlite==2025.4.25', ['--db-path', 'x.db']),
  uvx('atlassian', 'mcp-atlassian==0.23.1', [], {
    JIRA_URL: 'https://x.atlassian.net',
    JIRA_USERNAME: 'x',
    JIRA_API_TOKEN: 'x',
    CONFLUENCE_URL: 'https://x.atlassian.net/wiki',
    CONFLUENCE_USERNAME: 'x',
    CONFLUENCE_API_TOKEN: 'x',
  }),
  uvx('word', 'office-word-mcp-server==1.1.11', [], {}, 'word_mcp_server'),
  uvx('arxiv', 'arxiv-mcp-server==0.8.2'),
  uvx('redis', 'redis-mcp-server==0.5.1'),
  uvx('wikipedia', 'wikipedia-mcp==2.0.1'),
];
