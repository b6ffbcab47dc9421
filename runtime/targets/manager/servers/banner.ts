/** What a person sees when the manager listens, and where it answers. */
export function banner(url: string, servers: readonly string[], dev: boolean): string {
  const lines = [
    `mcp-manager keeps ${servers.length} MCP server${servers.length === 1 ? '' : 's'}: ${servers.join(', ')}`,
    '',
    `  HTTP  ${url}`,
    `  MCP   ${url}/mcp`,
    ...(dev ? [`  API   ${url}/docs`, `  Spec  ${url}/openapi.json`, `  Stop  Ctrl-C`] : []),
  ];
  return `${lines.join('\n')}\n\n`;
}
