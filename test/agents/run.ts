import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Agent } from './agent.ts';
import { AGENTS } from './agents.ts';
import { installAgent } from './install-agents.ts';
import { freePort, processesIn } from '../sign-in/processes.ts';
import { type GatewayTools, pricesOf, runAgent } from './run-agent.ts';
import { PROVIDERS, startAgentGateway } from './start-gateway.ts';

// `npm run test:agents`: installs unmodified command-line agents in their latest versions, and runs each with a fresh home folder against
// the gateway and every provider API. The task is to read a file with two calls in one response, edit it, use a tool of an MCP server, and
// stop. Prints a table. An agent that cannot be installed is skipped, which is not a failure. Requires Python 3 with venv for aider. `--agent
// TEXT` and `--provider NAME` select agents and providers, `--folder PATH` keeps the installations, `--verbose` prints the agents' output.
//
// `npm run test:agents:tools` (`--tools`) gives the agent's key the tool of an MCP server behind mcp-manager, which the gateway runs. The model
// also calls it: alone, in one response with the agent's tools, and alone at the end.

interface Row {
  readonly agent: string;
  readonly version: string;
  readonly api: string;
  readonly provider: string;
  /** Undefined if the agent was not run. */
  readonly problems: readonly string[] | undefined;
  readonly note: string;
}

const option = (name: string): string | undefined => {
  const at = process.argv.indexOf(`--${name}`);
  return at === -1 ? undefined : process.argv[at + 1];
};
const isVerbose = process.argv.includes('--verbose');

const kept = option('folder');
const folder = kept ?? mkdtempSync(join(tmpdir(), 'agents-'));
const withTools = process.argv.includes('--tools');
const processes = processesIn(folder);
const tools = withTools ? { label: 'office', log: join(folder, 'seals.txt') } : undefined;
const gateway = await startAgentGateway({
  pricing: pricesOf(AGENTS),
  ...(tools && { tools: { mcp_servers: { [tools.label]: { url: await startOffice(tools) } } } }),
});
try {
  const rows: Row[] = [];
  const chosen = AGENTS.filter(({ name }) =>
    name.toLowerCase().includes((option('agent') ?? '').toLowerCase()),
  );
  for (const agent of chosen) rows.push(...(await rowsOf(agent)));
  console.log(tableOf(rows));
  const failed = rows.filter(({ problems = [] }) => problems.length > 0);
  const run = rows.filter(({ problems }) => problems !== undefined);
  console.log(`${run.length} runs, ${run.length - failed.length} without a problem`);
  process.exitCode = failed.length === 0 && run.length > 0 ? 0 : 1;
} finally {
  await gateway.stop();
  await processes.end();
  if (kept === undefined) rmSync(folder, { recursive: true, force: true });
}

/** Starts mcp-manager with a server whose tool the gateway runs; returns the server's URL. */
async function startOffice({ label, log }: GatewayTools): Promise<string> {
  const args = [join(import.meta.dirname, 'mcp-server.mjs'), log, 'seal'];
  const command = `command = ${JSON.stringify(process.execPath)}\nargs = ${JSON.stringify(args)}`;
  const config = `[[servers]]\nname = "${label}"\n${command}\ntools = ["*"]\n`;
  const { url } = await processes.startManager(`manager-${process.pid}`, await freePort(), config);
  return `${url}/mcp/${label}`;
}

async function rowsOf(agent: Agent): Promise<Row[]> {
  const { name, api } = agent;
  const installed = await installAgent(agent, folder);
  if ('reason' in installed)
    return [
      {
        agent: name,
        version: '',
        api,
        provider: '',
        problems: undefined,
        note: `not run: ${installed.reason}`,
      },
    ];
  const rows: Row[] = [];
  for (const provider of PROVIDERS.filter((one) => one === (option('provider') ?? one))) {
    const { problems, note, output } = await runAgent(agent, installed.path, provider, gateway, tools);
    if (isVerbose) console.error(output);
    const row = { agent: name, version: installed.version, api, provider, problems, note };
    console.error(lineOf(row));
    rows.push(row);
  }
  return rows;
}

function lineOf({ agent, version, api, provider, problems, note }: Row): string {
  const result = problems === undefined ? '-' : problems.length === 0 ? 'yes' : `no: ${problems.join('; ')}`;
  return `| ${[`${agent} ${version}`.trim(), api, provider, result, note].join(' | ')} |`;
}

function tableOf(rows: readonly Row[]): string {
  const head = ['agent', 'API', 'provider', 'ends well', 'note'];
  return [`| ${head.join(' | ')} |`, `|${'---|'.repeat(head.length)}`, ...rows.map(lineOf)].join('\n');
}
