import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { parseJsonText } from '../../../runtime/core/json/json-text.ts';
import { installPython } from '../../helpers/install-python.ts';
import { ROOT } from '../../helpers/paths.ts';
import { answersOf, GOOD } from '../../runtime/targets/manager/malformed-responses.ts';
import { freePort, processesIn, until } from '../../sign-in/processes.ts';
import { MALFORMED_TOOLS, startMalformedServer } from './malformed-server.ts';
import { compareWithMcpo } from './mcpo.ts';
import type { FuzzTargets, Outcomes } from './outcomes.ts';
import { fuzzRest } from './rest.ts';
import { fuzzSdk } from './typescript.ts';
import { chosen } from '../../helpers/chosen.ts';

// `npm run test:clients:manager`: uses mcp-manager with third-party MCP clients. Python clients use each connection method: stdio with and
// without a running manager, SSE, streamable HTTP, and groups. mcpo and the manager serve the same tools over OpenAPI. Then a server sends
// malformed results and tools to each client, directly and through the manager. Prints tables; the arguments ways, mcpo and malformed
// select some of them. Requires Python 3 with venv, and PyPI on the first run. Takes a few minutes.

const HERE = import.meta.dirname;
const MANAGER = join(ROOT, 'runtime/targets/manager/main.ts');
const PYTHON_CLIENTS = ['sdk-newest', 'fastmcp'];
const ANSWERS: readonly unknown[] = answersOf(GOOD.tool);

const folder = mkdtempSync(join(tmpdir(), 'encoderfile-manager-clients-'));
const processes = processesIn(folder);
let failures = 0;

const toml = (value: unknown): string => JSON.stringify(value);
const echoServer = (name: string): string =>
  `[[servers]]\nname = "${name}"\ncommand = ${toml(process.execPath)}\nargs = [${toml(join(ROOT, 'fixtures/mcp-servers/echo.mjs'))}]\ntools = ["*"]\n`;

const venvs = join(HERE, '..', 'node_modules', '.venvs');
const pythonOf = (list: string, name: string): Promise<string> =>
  installPython(join(HERE, '..', list), join(venvs, name));

interface WayRow {
  readonly client: string;
  readonly version: string;
  readonly way: string;
  readonly problem: string | null;
}

async function checkWays(pythons: readonly string[]): Promise<void> {
  const port = await freePort();
  const config = `${echoServer('echo')}${echoServer('other')}[[groups]]\nname = "small"\nservers = ["echo"]\n`;
  const { url } = await processes.startManager('ways', port, config);
  const files = [
    '--config',
    join(folder, 'ways/servers.toml'),
    '--runtime-file',
    join(folder, 'ways/secrets.toml'),
  ];
  const stdio = (...flags: string[]): string[] => [MANAGER, 'stdio', ...files, ...flags];
  const ways = [
    { name: 'stdio, local', kind: 'stdio', target: stdio('--local') },
    { name: 'stdio, running manager', kind: 'stdio', target: stdio('--url', url) },
    { name: 'stdio, local, group', kind: 'stdio', target: stdio('--local', '--group', 'small') },
    { name: 'stdio, running manager, group', kind: 'stdio', target: stdio('--url', url, '--group', 'small') },
    { name: 'SSE', kind: 'sse', target: `${url}/sse` },
    { name: 'SSE, group', kind: 'sse', target: `${url}/groups/small/sse` },
    { name: 'HTTP', kind: 'http', target: `${url}/mcp` },
    { name: 'HTTP, group', kind: 'http', target: `${url}/groups/small/mcp` },
  ].map((way) => ({ ...way, onlyEcho: way.name.endsWith('group') }));
  console.log('\n| client | way | result |\n|---|---|---|');
  for (const python of pythons) {
    const given = JSON.stringify({ command: process.execPath, ways });
    const { stdout } = await execa(python, [join(HERE, 'ways.py'), given], { stderr: 'inherit' });
    for (const line of stdout.split('\n').filter((text) => text.startsWith('{'))) {
      const { client, version, way, problem } = parseJsonText(line) as WayRow;
      if (problem !== null) failures += 1;
      console.log(`| ${client} ${version} | ${way} | ${problem ?? 'lists, calls, progress'} |`);
    }
  }
}

async function checkMcpo(): Promise<void> {
  const python = await pythonOf('manager/mcpo.txt', 'mcpo');
  const [managerPort, mcpoPort] = [await freePort(), await freePort()];
  const { url } = await processes.startManager('mcpo', managerPort, echoServer('echo'));
  const server = [process.execPath, join(ROOT, 'fixtures/mcp-servers/echo.mjs')];
  const mcpo = execa(
    join(dirname(python), 'mcpo'),
    ['--host', '127.0.0.1', '--port', String(mcpoPort), '--', ...server],
    {
      stdio: 'ignore',
      reject: false,
    },
  );
  try {
    const compared = await compareWithMcpo(`http://127.0.0.1:${mcpoPort}`, `${url}/openapi/echo`);
    const { tools, calls, otherPaths, differences } = compared;
    console.log(`\nmcpo: ${tools} tools, paths that only one has: ${otherPaths.join(', ') || 'none'}`);
    console.log(
      `${calls - differences.length} of ${calls} answers are equal\n\n| call | mcpo | mcp-manager |\n|---|---|---|`,
    );
    for (const { call, mcpo: theirs, ours } of differences) {
      console.log(`| \`${call}\` | \`${theirs.slice(0, 160)}\` | \`${ours.slice(0, 160)}\` |`);
    }
    if (otherPaths.length > 0) failures += 1;
  } finally {
    mcpo.kill();
    await mcpo;
  }
}

async function fuzz(pythons: readonly string[]): Promise<void> {
  const malformed = await startMalformedServer();
  try {
    const remote = (name: string, address: string): string =>
      `[[servers]]\nname = "${name}"\nurl = ${toml(address)}\ntools = ["*"]\n`;
    const config = [
      remote('results', malformed.results),
      ...malformed.tools.map((address, index) => remote(`tools${index}`, address)),
    ];
    const { url } = await processes.startManager('fuzz', await freePort(), config.join(''));
    await until('all servers run', async () => {
      const { servers } = (await (await fetch(`${url}/api/v1/health/servers`)).json()) as {
        servers: { status: string }[];
      };
      return servers.every(({ status }) => status === 'ok');
    });
    const at = (path: string): FuzzTargets => ({
      results: `${url}${path}/results`,
      tools: malformed.tools.map((_, index) => `${url}${path}/tools${index}`),
      answers: ANSWERS,
    });
    const direct: FuzzTargets = { ...malformed, answers: ANSWERS };
    const rows: Outcomes[] = [await fuzzRest(at('/api/v1/servers'))];
    const sdk = join(ROOT, 'node_modules/@modelcontextprotocol/sdk/package.json');
    const { version } = parseJsonText(readFileSync(sdk, 'utf8')) as { version: string };
    for (const target of ['server', 'manager'] as const) {
      rows.push(await fuzzSdk(target, target === 'server' ? direct : at('/mcp'), version));
      for (const python of pythons) {
        const path = join(folder, 'fuzz.json');
        writeFileSync(path, JSON.stringify({ target, ...(target === 'server' ? direct : at('/mcp')) }));
        const { stdout } = await execa(python, [join(HERE, 'fuzz.py'), path]);
        rows.push(parseJsonText(stdout.trim().split('\n').at(-1) ?? '') as Outcomes);
      }
    }
    report(rows);
  } finally {
    await malformed.close();
  }
}

function report(rows: readonly Outcomes[]): void {
  console.log(
    `\n${ANSWERS.length} malformed results, ${MALFORMED_TOOLS.length} lists with a malformed tool\n\n| client | connected to | results | errors with a reason | failures of the client | lists | lost lists |\n|---|---|---:|---:|---:|---:|---:|`,
  );
  const sorted = rows.toSorted((one, other) => one.client.localeCompare(other.client));
  for (const { client, version, target, ...counts } of sorted) {
    const cells = [counts.returned, counts.errors, counts.failed, counts.lists, counts.lostLists];
    console.log(
      `| ${`${client} ${version}`.trim()} | ${target === 'server' ? 'the server' : 'mcp-manager'} | ${cells.join(' | ')} |`,
    );
  }
  for (const { client, target, failed, lostLists, examples } of rows) {
    if (target !== 'manager' || failed + lostLists === 0) continue;
    failures += 1;
    console.log(`\n${client}:\n${examples.join('\n')}`);
  }
}

try {
  const pythons: string[] = [];
  for (const name of PYTHON_CLIENTS) pythons.push(await pythonOf(`mcp/${name}.txt`, `mcp-${name}-txt`));
  const parts = { ways: () => checkWays(pythons), mcpo: checkMcpo, malformed: () => fuzz(pythons) };
  for (const [, check] of chosen(Object.entries(parts), ([key]) => key)) await check();
} finally {
  await processes.end();
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failures === 0 ? 0 : 1;
