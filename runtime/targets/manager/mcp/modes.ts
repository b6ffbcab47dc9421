/** Which tools the endpoint for all servers has: all tools, or two tools to search them and to call them or run scripts. */
export const MCP_MODES = ['all', 'search', 'code'] as const;
export type McpMode = (typeof MCP_MODES)[number];

export const mcpMode = (name: string | undefined): McpMode =>
  MCP_MODES.find((mode) => mode === name) ?? 'all';
