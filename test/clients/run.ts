import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { parseJsonText } from '../../runtime/core/json/json-text.ts';
import { installLocked } from '../helpers/install-locked.ts';
import { installPython } from '../helpers/install-python.ts';
import { FIXTURES, ROOT, TEST_CACHE } from '../helpers/paths.ts';
import { portIn, type RunningExecutable, startExecutable } from '../helpers/start-executable.ts';

// `npm run test:clients`: serves fixture models with real executables, and calls every compatible route with the clients of its API, and
// MCP, gRPC and the OpenAPI documents with independent clients, old and new, from npm and PyPI. Prints a table. Then runs `gateway/run.ts`.
// Requires Python 3 with venv. Takes a few minutes.

interface Row {
  readonly client: string;
  readonly version: string;
  readonly door: string;
  readonly call: string;
  readonly problem: string | null;
}

const MODELS = ['sentence', 'sentiment', 'reranker', 'ner'];
const HERE = import.meta.dirname;

/** Python environments, each with the packages of a list. MCP has one environment per client version. */
const MCP_CLIENTS = ['sdk-newest', 'sdk-1.9', 'sdk-1.2', 'fastmcp'];
/** A text for the model `sentiment`, used for MCP and gRPC. */
const EXAMPLE = { text: 'I love this', label: 'POSITIVE' };

await installLocked(HERE, 'clients from npm');
const python = await installClients('requirements.txt');
const pythonOfGrpc = await installClients('grpc/requirements.txt');
const pythonOfOpenApi = await installClients('openapi/requirements.txt');
const pythonsOfMcp: string[] = [];
for (const client of MCP_CLIENTS) pythonsOfMcp.push(await installClients(`mcp/${client}.txt`));
const folder = mkdtempSync(join(tmpdir(), 'encoderfile-clients-'));
const servers: RunningExecutable[] = [];
try {
  const served: Record<string, Served> = {};
  for (const model of MODELS) served[model] = await serve(model);
  const urls = Object.fromEntries(Object.entries(served).map(([model, { url }]) => [model, url]));
  const { sentiment } = served;
  const mcp = {
    ...EXAMPLE,
    command: sentiment?.path,
    cache: TEST_CACHE,
    url: `${sentiment?.url}/mcp`,
  };
  const rows = [
    ...(await rowsOf(python, 'checks.py', urls)),
    ...(await rowsOf(process.execPath, 'checks.mjs', urls)),
    ...(await rowsOf(pythonOfGrpc, 'grpc/checks.py', { ...EXAMPLE, address: sentiment?.grpcAddress })),
    ...(await rowsOf(pythonOfOpenApi, 'openapi/checks.py', urls)),
    ...(await rowsOf(process.execPath, 'mcp/checks.mjs', mcp)),
  ];
  for (const program of pythonsOfMcp) rows.push(...(await rowsOf(program, 'mcp/checks.py', mcp)));
  for (const line of table(rows)) console.log(line);
  const gateway = await execa(process.execPath, [join(HERE, 'gateway/run.ts')], {
    stdio: 'inherit',
    reject: false,
  });
  process.exitCode = gateway.exitCode === 0 && rows.every(({ problem }) => problem === null) ? 0 : 1;
} finally {
  for (const { child, ended } of servers) {
    child.kill('SIGTERM');
    await ended;
  }
  rmSync(folder, { recursive: true, force: true });
}

function installClients(list: string): Promise<string> {
  return installPython(join(HERE, list), join(HERE, 'node_modules', '.venvs', list.replaceAll(/\W+/g, '-')));
}

interface Served {
  /** The executable. */
  readonly path: string;
  readonly url: string;
  readonly grpcAddress: string;
}

async function serve(model: string): Promise<Served> {
  const path = join(folder, `${model}.encoder`);
  const config = join(FIXTURES, 'models', model, 'encoderfile.yml');
  const build = [join(ROOT, 'cli/bin.ts'), 'build', '-f', config, '--quiet', '-o', path];
  await execa(process.execPath, [...build, '--cache-dir', TEST_CACHE]);
  const http = ['--http-hostname', '127.0.0.1', '--http-port', '0'];
  const grpc = ['--grpc-hostname', '127.0.0.1', '--grpc-port', '0'];
  const server = startExecutable(path, ['serve', ...http, ...grpc, '--log-level', 'warn']);
  servers.push(server);
  const banner = await server.said(/^ +gRPC +.*\n/m);
  return {
    path,
    url: `http://127.0.0.1:${portIn(banner, 'HTTP')}`,
    grpcAddress: `127.0.0.1:${portIn(banner, 'gRPC')}`,
  };
}

async function rowsOf(program: string, script: string, urls: object): Promise<Row[]> {
  const { stdout } = await execa(program, [join(HERE, script), JSON.stringify(urls)], {
    stderr: 'inherit',
    cwd: HERE,
  });
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => parseJsonText(line) as Row);
}

function table(rows: readonly Row[]): string[] {
  return [
    '| client | route | call | result |',
    '|---|---|---|---|',
    ...rows.map(
      ({ client, version, door, call, problem }) =>
        `| ${client} ${version} | ${door} | ${call} | ${problem?.replaceAll(/\s+/g, ' ') ?? 'ok'} |`,
    ),
  ];
}
