import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { parseJsonText } from '../../../runtime/core/json/json-text.ts';
import { installLocked } from '../../helpers/install-locked.ts';
import { installPython } from '../../helpers/install-python.ts';
import { ROOT } from '../../helpers/paths.ts';
import { startClientGateway, WIRES } from './start-gateway.ts';

// `npm run test:clients:gateway`: starts the gateway with a stand-in for each provider type, and calls it with unmodified language model
// clients from npm and PyPI. Prints a table of clients, features and providers; with `--write`, replaces the table in
// docs/gateway-clients.md. Requires Python 3 with venv.

interface Row {
  readonly client: string;
  readonly version: string;
  readonly feature: string;
  readonly wire: (typeof WIRES)[number];
  readonly problem: string | null;
}

const HERE = import.meta.dirname;
const DOCUMENT = join(ROOT, 'docs/gateway-clients.md');

await installLocked(HERE, 'clients of language models from npm');
const python = await installPython(
  join(HERE, 'requirements.txt'),
  join(HERE, 'node_modules', '.venvs', 'requirements'),
);
const gateway = await startClientGateway();
try {
  const { url, key } = gateway;
  const given = JSON.stringify({ url, key, wires: WIRES });
  const rows = [
    ...(await rowsOf(python, 'checks.py', given)),
    ...(await rowsOf(process.execPath, 'checks.mjs', given)),
  ];
  const table = tableOf(rows);
  console.log(table);
  const failed = rows.filter(({ problem }) => problem !== null);
  for (const { client, feature, wire, problem } of failed)
    console.error(`${client}, ${feature}, ${wire}: ${problem}`);
  if (process.argv.includes('--write')) writeTable(table);
  process.exitCode = failed.length === 0 && rows.length > 200 ? 0 : 1;
} finally {
  await gateway.stop();
}

async function rowsOf(program: string, script: string, given: string): Promise<Row[]> {
  const { stdout } = await execa(program, [join(HERE, script), given], {
    // Clients print warnings about unknown models.
    stderr: 'ignore',
    cwd: HERE,
    env: { LITELLM_LOCAL_MODEL_COST_MAP: 'True' },
  });
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => parseJsonText(line) as Row);
}

/** One row per client and feature, one column per provider type. */
function tableOf(rows: readonly Row[]): string {
  const groups = Map.groupBy(rows, ({ client, feature }) => `${client}\n${feature}`);
  const lines = [...groups.values()].map((group) => {
    const [{ client, version, feature }] = group as [Row];
    const cells = WIRES.map((wire) => {
      const found = group.find((row) => row.wire === wire);
      return found ? (found.problem === null ? 'yes' : 'no') : '-';
    });
    return `| ${[`${client} ${version}`, feature, ...cells].join(' | ')} |`;
  });
  const head = ['client', 'feature', ...WIRES];
  return [`| ${head.join(' | ')} |`, `|${'---|'.repeat(head.length)}`, ...lines].join('\n');
}

/** Replaces the table at the end of the document. */
function writeTable(table: string): void {
  const text = readFileSync(DOCUMENT, 'utf8');
  writeFileSync(DOCUMENT, `${text.slice(0, text.indexOf('| client | feature'))}${table}\n`);
}
