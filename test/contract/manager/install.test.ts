import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { parse } from 'smol-toml';
import { expect, onTestFinished } from 'vitest';
import { builtProgram } from '../../helpers/built.ts';
import { runProcess } from '../../helpers/run-process.ts';
import { verifiesOnce } from '../verifies.ts';
import { filesIn, writeFiles } from './arms.ts';
import { TWO } from './config.ts';

interface Entry {
  readonly command: string;
  readonly args: string[];
}

verifiesOnce('manager:install', async () => {
  const folder = writeFiles({ config: `${TWO}\n[[groups]]\nname = "small"\nservers = ["two"]\n` });
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const run = (client: string, path: string, ...flags: string[]): ReturnType<typeof runProcess> =>
    runProcess(builtProgram('manager'), ['install', client, '--path', path, ...filesIn(folder), ...flags]);

  const path = join(folder, 'mcp.json');
  const before = '{\n  // mine\n  "mcpServers": { "other": { "command": "x" } }\n}\n';
  writeFileSync(path, before);
  const dry = await run('vscode', path, '--dry-run');
  expect([dry.exitCode, dry.stdout]).toEqual([0, expect.stringContaining('+    "mcp-manager"')]);
  expect(readFileSync(path, 'utf8')).toBe(before);
  const cursor = await run('cursor', path, '--group', 'small');
  expect([cursor.exitCode, cursor.stderr]).toEqual([
    0,
    expect.stringContaining(`Added mcp-manager to ${path}.`),
  ]);
  const text = readFileSync(path, 'utf8');
  expect(text).toContain('// mine\n  "mcpServers": { "other": { "command": "x" }, "mcp-manager": {');
  const copy = readdirSync(folder).find((name) => name.endsWith('.bak')) ?? '';
  expect(readFileSync(join(folder, copy), 'utf8')).toBe(before);

  // The client can start the configured command.
  const { mcpServers } = JSON.parse(text.replace('// mine', '')) as { mcpServers: Record<string, Entry> };
  const { command = '', args = [] } = mcpServers['mcp-manager'] ?? {};
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StdioClientTransport({ command, args: [...args, '--local'], stderr: 'ignore' }));
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toContain('two__echo');
  expect(names.filter((name) => !name.startsWith('two__'))).toEqual([]);
  await client.close();

  expect((await run('cursor', path, '--group', 'small')).stderr).toContain('already up to date');
  expect((await run('cursor', path, '--uninstall')).exitCode).toBe(0);
  const after = JSON.parse(readFileSync(path, 'utf8').replace('// mine', '')) as object;
  expect(after).toEqual({ mcpServers: { other: { command: 'x' } } });

  const codex = join(folder, 'config.toml');
  await run('codex', codex, '--transport', 'http', '--url', '127.0.0.1:8090', '--group', 'small');
  expect(parse(readFileSync(codex, 'utf8'))).toMatchObject({
    mcp_servers: { 'mcp-manager': { url: 'http://127.0.0.1:8090/groups/small/mcp' } },
  });
  const wrong = await run('claude', path);
  expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining('Did you mean claude-code?')]);
});
