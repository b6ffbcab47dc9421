import { appendFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';

// An MCP server with one tool. It writes a line to the file of its argument for each call, so that a test sees the calls.

const [, , file] = process.argv;
const server = new McpServer({ name: 'desk', version: '1.0.0' });
server.registerTool('stamp', { description: 'Stamps the notes.', inputSchema: {} }, () => {
  appendFileSync(file, 'stamped\n');
  return { content: [{ type: 'text', text: 'The notes are stamped.' }] };
});
await server.connect(new StdioServerTransport());
