import { appendFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';

// An MCP server with one tool. For each call, it writes a line to the file in its argument, so that a test can see the calls.

const [, , file] = process.argv;
const server = new McpServer({ name: 'desk', version: '1.0.0' });
server.registerTool('stamp', { description: 'Stamps the notes.', inputSchema: {} }, () => {
  appendFileSync(file, 'stamped\n');
  return { content: [{ type: 'text', text: 'The notes are stamped.' }] };
});
await server.connect(new StdioServerTransport());
