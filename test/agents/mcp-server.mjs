import { appendFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';

// An MCP server with one tool, `stamp` or the name in its second argument. For each call, it writes a line to the file in its first
// argument, so that a test can see the calls.

const [, , file, name = 'stamp'] = process.argv;
const server = new McpServer({ name: 'desk', version: '1.0.0' });
server.registerTool(name, { description: `The ${name} for the notes.`, inputSchema: {} }, () => {
  appendFileSync(file, `${name}\n`);
  return { content: [{ type: 'text', text: `The notes have a ${name}.` }] };
});
await server.connect(new StdioServerTransport());
