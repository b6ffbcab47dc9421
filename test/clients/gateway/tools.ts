import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { parseJsonText } from '../../../runtime/core/json/json-text.ts';
import { PROVIDERS, startAgentGateway } from '../../agents/start-gateway.ts';
import { installLocked } from '../../helpers/install-locked.ts';
import { ROOT } from '../../helpers/paths.ts';
import { freePort, processesIn } from '../../sign-in/processes.ts';

// `npm run test:clients:tools`: unmodified clients from npm send requests with a tool of an MCP server behind mcp-manager, which the gateway
// runs, to a model behind four provider APIs. Compares the gateway's usage with what the provider has counted.

interface Row {
  readonly client: string;
  readonly provider: string;
  readonly stream: boolean;
  readonly id: string;
  readonly problem: string | null;
}

const HERE = import.meta.dirname;
const CLIENTS = ['openai chat', 'openai responses', 'anthropic', 'google genai'];

await installLocked(HERE, 'clients of language models from npm');
const folder = mkdtempSync(join(tmpdir(), 'gateway-tools-'));
const processes = processesIn(folder);
const stamps = join(folder, 'stamps.txt');
const args = [join(ROOT, 'test/agents/mcp-server.mjs'), stamps];
const config = `[[servers]]\nname = "desk"\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${JSON.stringify(args)}\ntools = ["*"]\n`;
try {
  const { url: manager } = await processes.startManager('manager', await freePort(), config);
  const gateway = await startAgentGateway({
    tools: { mcp_servers: { desk: { url: `${manager}/mcp/desk` } } },
  });
  try {
    const ids = CLIENTS.flatMap((client) =>
      PROVIDERS.flatMap((provider) =>
        ['whole', 'stream'].map((mode) => `${client} ${provider} ${mode}`.replaceAll(' ', '-')),
      ),
    );
    const keys: Record<string, string> = {};
    for (const id of ids) keys[id] = await gateway.createKey(id);
    const given = JSON.stringify({ url: gateway.url, keys, providers: PROVIDERS });
    const { stdout } = await execa(process.execPath, [join(HERE, 'tool-clients.mjs'), given], {
      cwd: HERE,
      stderr: 'ignore',
    });
    const rows = stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => parseJsonText(line) as Row);
    let failures = 0;
    console.log('| client | provider | stream | model calls | result |\n|---|---|---|---|---|');
    for (const { client, provider, stream, id, problem } of rows) {
      const [{ answers, prompt, completion }, book] = await Promise.all([
        gateway.usageOf(id),
        gateway.providerBook(id),
      ]);
      const isEqual =
        answers === book.answers && prompt === book.prompt && completion === book.completion && answers === 2;
      const result = problem ?? (isEqual ? 'yes' : `usage ${answers}, provider ${book.answers}`);
      if (problem !== null || !isEqual) failures += 1;
      console.log(`| ${client} | ${provider} | ${stream ? 'yes' : 'no'} | ${answers} | ${result} |`);
    }
    const count = readFileSync(stamps, 'utf8').trim().split('\n').length;
    console.log(`${rows.length} requests, ${count} tool calls, ${failures} failures`);
    process.exitCode = failures === 0 && rows.length === ids.length && count === ids.length ? 0 : 1;
  } finally {
    await gateway.stop();
  }
} finally {
  await processes.end();
  rmSync(folder, { recursive: true, force: true });
}
