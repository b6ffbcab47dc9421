import { appendFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';

// An MCP server with one tool, `stamp` or the name in its second argument. For each call, it writes a line to the file in its first
// argument, so that a test can see the calls. With DESK_TOKEN, the result is the token of the user.

const [, , file, name = 'stamp'] = process.argv;
const server = new McpServer({ name: 'desk', version: '1.0.0' });
server.registerTool(name, { description: `${name}s the notes.`, inputSchema: {} }, () => {
  appendFileSync(file, `${name}\n`);
  const { DESK_TOKEN: token } = process.env;
  return { content: [{ type: 'text', text: token ?? `The notes are ${name}ed.` }] };
});
await server.connect(new StdioServerTransport());
