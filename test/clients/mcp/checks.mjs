// Calls the tool of a served model with MCP clients from npm, over stdio and streamable HTTP, and prints one JSON line per call. The
// argument is a JSON object with the path of the executable, its cache folder, the URL of its endpoint, and the expected label of the text.
// The oldest SDK does not support streamable HTTP.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const served = JSON.parse(process.argv[2] ?? '{}');
const env = { ...process.env, ENCODERFILE_CACHE_DIR: served.cache };
const run = promisify(execFile);

function assert(condition, message) {
  if (!condition) throw new Error(message);
}

async function rejection(promise) {
  return await promise.then(
    () => 'no error',
    (error) => String(error.message),
  );
}

function checkResult({ content: [{ text }], structuredContent }) {
  const found = JSON.parse(text);
  assert(found.results[0].predicted_label === served.label, text);
  assert(
    structuredContent === undefined || JSON.stringify(structuredContent) === text,
    JSON.stringify(structuredContent),
  );
}

/** Tests all features with a client of the official SDK. */
async function callAll(Client, transport) {
  const client = new Client({ name: 'check', version: '1' }, { capabilities: {} });
  await client.connect(transport);
  try {
    assert(client.getServerVersion().name === 'encoderfile', 'server information');
    const { tools } = await client.listTools();
    assert(tools.map(({ name }) => name).join() === 'run_encoder', JSON.stringify(tools));
    checkResult(await client.callTool({ name: 'run_encoder', arguments: { inputs: [served.text] } }));
    const empty = client.callTool({ name: 'run_encoder', arguments: { inputs: [''] } });
    assert((await rejection(empty)).includes('Cannot tokenize empty string'), 'an empty text was accepted');
  } finally {
    await client.close();
  }
}

const stdio = ({ StdioClientTransport }) =>
  new StdioClientTransport({ command: served.command, args: ['mcp'], env, stderr: 'ignore' });
const http = ({ StreamableHTTPClientTransport }) => new StreamableHTTPClientTransport(new URL(served.url));

/** Runs the inspector's command line. */
async function inspect(...target) {
  const folder = mkdtempSync(join(tmpdir(), 'inspector-'));
  const program = new URL('../node_modules/.bin/mcp-inspector', import.meta.url).pathname;
  const inspector = async (...flags) => {
    const args = [program, '--cli', ...target, ...flags];
    const { stdout } = await run(process.execPath, args, { env: { ...env, HOME: folder } });
    return JSON.parse(stdout);
  };
  try {
    const { tools } = await inspector('--method', 'tools/list');
    assert(tools.map(({ name }) => name).join() === 'run_encoder', JSON.stringify(tools));
    const inputs = `inputs=${JSON.stringify([served.text])}`;
    checkResult(
      await inspector('--method', 'tools/call', '--tool-name', 'run_encoder', '--tool-arg', inputs),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const CHECKS = [
  {
    client: 'mcp-sdk-1.0',
    door: 'stdio',
    run: async () => {
      const { Client } = await import('mcp-sdk-1.0/client/index.js');
      await callAll(Client, stdio(await import('mcp-sdk-1.0/client/stdio.js')));
    },
  },
  {
    client: '@modelcontextprotocol/sdk',
    door: 'stdio',
    run: async () => {
      const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
      await callAll(Client, stdio(await import('@modelcontextprotocol/sdk/client/stdio.js')));
    },
  },
  {
    client: '@modelcontextprotocol/sdk',
    door: '/mcp',
    run: async () => {
      const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
      await callAll(Client, http(await import('@modelcontextprotocol/sdk/client/streamableHttp.js')));
    },
  },
  {
    client: '@modelcontextprotocol/client',
    door: 'stdio',
    run: async () => {
      const { Client } = await import('@modelcontextprotocol/client');
      await callAll(Client, stdio(await import('@modelcontextprotocol/client/stdio')));
    },
  },
  {
    client: '@modelcontextprotocol/client',
    door: '/mcp',
    run: async () => {
      const sdk = await import('@modelcontextprotocol/client');
      await callAll(sdk.Client, http(sdk));
    },
  },
  { client: '@modelcontextprotocol/inspector', door: 'stdio', run: () => inspect(served.command, 'mcp') },
  { client: '@modelcontextprotocol/inspector', door: '/mcp', run: () => inspect(served.url) },
];

for (const { client, door, run: check } of CHECKS) {
  const path = new URL(`../node_modules/${client}/package.json`, import.meta.url);
  const { name, version } = JSON.parse(readFileSync(path, 'utf8'));
  const problem = await check().then(
    () => null,
    (error) => `${error.name}: ${error.message}`.slice(0, 300),
  );
  console.log(JSON.stringify({ client: name, version, door, call: 'tools/list, tools/call', problem }));
}
process.exit(0);
