/** Which tools the endpoint for all servers has: all tools, or two tools to search them and to call them or run scripts. */
export const MCP_MODES = ['all', 'search', 'code'] as const;
export type McpMode = (typeof MCP_MODES)[number];

/** What a value of the setting must be, as the predicate of a sentence. */
export const MCP_MODE_RULE = `must be ${MCP_MODES.slice(0, -1).join(', ')} or ${MCP_MODES.at(-1)}`;

export const parseMcpMode = (name: string | undefined): McpMode | undefined =>
  MCP_MODES.find((mode) => mode === name);
