import { variablePrefix } from './server-name.ts';

/**
 * The variables a text of a server refers to although they are another server's, or the manager's own.
 * `$(NAME)` is not expanded here, but by programs the text may be handed to.
 */
export function foreignVariables(text: string, server: string): string[] {
  const own = variablePrefix(server);
  const names = text
    .replaceAll('$$', '')
    .matchAll(/\$[{(]?((?:MCPD|MCP_MANAGER)_\w+)/g)
    .map(([, name = '']) => name)
    .filter((name) => !name.startsWith(own));
  return [...new Set(names)];
}
