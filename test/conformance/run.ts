import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { ROOT } from '../helpers/paths.ts';
import { openManager } from '../runtime/targets/manager/mcp/managed.ts';
import { serverSpec } from '../runtime/targets/manager/server-spec.ts';

// `npm run test:conformance`: runs every scenario of `@modelcontextprotocol/conformance` and prints a table. Scenarios for servers test a
// server behind a manager, at /mcp/{server} and at the same path of a group. Scenarios for clients test a client whose server is behind a
// manager and, for sign-ins, the manager's own client. Exits with 1 if a scenario fails. Takes about five minutes.

const HERE = import.meta.dirname;
const folder = mkdtempSync(join(tmpdir(), 'encoderfile-conformance-'));
const options = { preferLocal: true, localDir: ROOT, cwd: folder, reject: false, all: true } as const;
let failures = 0;

interface Row {
  readonly side: string;
  readonly scenario: string;
  readonly passed: number;
  readonly failed: number;
  readonly note: string;
}

function rowOf(side: string, scenario: string, output: string, exitCode: number | undefined): Row {
  const counts = /Passed: (\d+)\/\d+, (\d+) failed/.exec(output);
  const [passed, failed] = counts ? [Number(counts[1]), Number(counts[2])] : [0, 1];
  const isOk = exitCode === 0 && failed === 0;
  if (!isOk) failures += 1;
  return { side, scenario, passed, failed, note: isOk ? '' : 'FAILED' };
}

async function scenariosOf(kind: 'server' | 'client'): Promise<string[]> {
  const { stdout } = await execa('conformance', ['list', `--${kind}`], options);
  return [...stdout.matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => String(name));
}

async function checkServers(): Promise<Row[]> {
  const groups = [{ name: 'team', servers: ['suite'], tools: [], prompts: [], resources: [] }];
  const managed = await openManager({ servers: [serverSpec('suite', 'conformance')], groups });
  const rows: Row[] = [];
  try {
    await managed.running('suite');
    for (const path of ['/mcp/suite', '/groups/team/mcp/suite']) {
      for (const scenario of await scenariosOf('server')) {
        const url = managed.origin + path;
        const { all, exitCode } = await execa(
          'conformance',
          ['server', '--url', url, '--scenario', scenario],
          options,
        );
        rows.push(rowOf(path, scenario, all, exitCode));
      }
    }
  } finally {
    await managed.close();
  }
  return rows;
}

async function checkClients(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const scenario of await scenariosOf('client')) {
    const client = scenario.startsWith('auth/') ? '../sign-in/conformance-client.ts' : 'client.ts';
    const command = `${process.execPath} ${join(HERE, client)}`;
    const { all, exitCode } = await execa(
      'conformance',
      ['client', '--scenario', scenario, '--command', command],
      options,
    );
    rows.push(rowOf('client', scenario, all, exitCode));
  }
  return rows;
}

try {
  const rows = [...(await checkServers()), ...(await checkClients())];
  console.table(rows);
  console.log(`${rows.length} rows, ${failures} failed`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failures === 0 ? 0 : 1;
