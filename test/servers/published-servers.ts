/** A server on npm or PyPI, with the arguments for `mcp-manager add <name>`. */
export interface PublishedServer {
  readonly name: string;
  readonly args: readonly string[];
  /** The reason if it cannot be started manually either. */
  readonly fault?: string;
}

const npx = (name: string, version: string, ...args: string[]): string[] => [
  '--package',
  `npx::${name}@${version}`,
  ...args,
];
const uvx = (name: string, version: string, ...args: string[]): string[] => [
  '--package',
  `uvx::${name}@${version}`,
  ...args,
];

export const PUBLISHED_SERVERS: readonly PublishedServer[] = [
  // Packages without an upper bound for the MCP SDK need one.
  {
    name: 'sqlite',
    args: uvx('mcp-server-sqlite', '2025.4.25', '--with', 'mcp<2', '--', '--db-path', 'x.db'),
  },
  { name: 'diff', args: uvx('mcp-server-diff-python', '0.1.2', '--with', 'mcp<2') },
  { name: 'tree-sitter', args: uvx('mcp-server-tree-sitter', '0.7.0', '--with', 'mcp<2') },
  { name: 'fetch', args: uvx('mcp-server-fetch', '2026.10.24') },
  {
    name: 'motherduck',
    args: uvx('mcp-server-motherduck', '1.1.0', '--', '--db-path', ':memory:', '--read-write'),
  },
  { name: 'excel', args: uvx('excel-mcp-server', '2.2.2', '--', 'stdio') },
  { name: 'markitdown', args: uvx('markitdown-mcp', '0.0.1a8') },
  { name: 'calculator', args: uvx('mcp-server-calculator', '0.2.1') },
  { name: 'redis', args: uvx('redis-mcp-server', '0.5.1') },
  { name: 'shell', args: uvx('mcp-shell-server', '1.1.14', '--env', 'ALLOW_COMMANDS=ls') },
  {
    name: 'alchemy',
    args: uvx('mcp-alchemy', '2026.10.15.202659', '--env', 'DB_URL=sqlite:///x.db'),
  },
  // The program name differs from the package name.
  { name: 'word', args: uvx('office-word-mcp-server', '1.1.11', '--bin', 'word_mcp_server') },
  { name: 'time', args: uvx('mcp-server-time', '2026.10.19') },
  { name: 'playwright', args: npx('@playwright/mcp', '0.0.83') },
  {
    name: 'postgres',
    args: npx('@modelcontextprotocol/server-postgres', '0.6.2', '--', 'postgresql://127.0.0.1/none'),
  },
  { name: 'pdf', args: npx('@modelcontextprotocol/server-pdf', '2.0.4', '--', '--stdio') },
  {
    name: 'system-monitor',
    args: npx('@modelcontextprotocol/server-system-monitor', '2.0.3', '--', '--stdio'),
  },
  { name: 'ripgrep', args: npx('mcp-ripgrep', '0.4.0') },
  { name: 'code-runner', args: npx('mcp-server-code-runner', '0.1.8') },
  { name: 'eslint', args: npx('@eslint/mcp', '0.3.13') },
  { name: 'chrome-devtools', args: npx('chrome-devtools-mcp', '1.11.0') },
  { name: 'pdf-reader', args: npx('@sylphx/pdf-reader-mcp', '2.4.0') },
  { name: 'excel-npx', args: npx('@negokaz/excel-mcp-server', '0.12.0') },
  { name: 'dbhub', args: npx('@bytebase/dbhub', '1.4.0', '--', '--demo') },
  { name: 'desktop-commander', args: npx('@wonderwhy-er/desktop-commander', 'latest') },
  { name: 'everything', args: npx('@modelcontextprotocol/server-everything', '2026.8.31') },
  { name: 'memory', args: npx('@modelcontextprotocol/server-memory', '2026.8.31') },
];
