import { pushAll } from '#core/values/push-all.ts';
import { lookup } from '#core/values/lookup.ts';
import type { Output } from '#serve/cli/command.ts';
import { printJson, printLines, stdoutTerminal } from '#serve/cli/terminal.ts';
import { formatTable, oneLine } from '#serve/cli/table.ts';
import { AppError } from '#contract/errors.ts';
import { serverName } from '../config/server-name.ts';
import { openReleases, releaseKey, releasesPath } from '../scanning/releases.ts';
import { apiPath, type ManagerClient, withQuery } from './manager-client.ts';

interface FindingsPage {
  readonly findings: readonly Readonly<Record<string, unknown>>[];
  readonly nextCursor?: string;
}

const KEYS = ['server', 'kind', 'name', 'pointer', 'rule', 'outcome', 'excerpt'];
const COLUMNS = ['SERVER', 'KIND', 'NAME', 'PLACE', 'RULE', 'OUTCOME', 'TEXT'];

/** Prints possible injections in texts of servers. */
export async function showFindings(
  manager: ManagerClient,
  { server, json }: { readonly server: string | undefined; readonly json: boolean },
  output: Output,
): Promise<number> {
  const findings = await readFindings(manager, server);
  if (json) printJson(output, findings);
  else if (findings.length === 0) output.err('No findings. Lists are scanned when clients request them.\n');
  else {
    const rows = findings.map((finding) => KEYS.map((key) => oneLine(cellOf(finding[key]))));
    printLines(output, formatTable(COLUMNS, rows, stdoutTerminal()));
  }
  return 0;
}

const cellOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const KINDS = lookup<string>({
  tool: 'tool',
  prompt: 'prompt',
  resource: 'resource',
  template: 'resource template',
});

export interface ReleaseOptions {
  readonly server: string;
  readonly name: string;
  readonly kind: string;
  /** Path of the configuration file. */
  readonly config: string;
  readonly json: boolean;
}

/**
 * Releases an item that is held because of a finding. Writes the file itself, like `pin`, because changes over HTTP require a key with edit permission.
 */
export async function releaseItem(
  manager: ManagerClient,
  { server: typed, name, kind: typedKind, config, json }: ReleaseOptions,
  output: Output,
): Promise<number> {
  const server = serverName(typed);
  const kind = KINDS[typedKind] ?? 'tool';
  const held = (await readFindings(manager, server)).find(
    (finding) => finding['kind'] === kind && finding['name'] === name && finding['outcome'] === 'held',
  );
  if (typeof held?.['hash'] !== 'string') {
    throw new AppError('NotFoundError', `no ${kind} is held: ${server}/${name}`);
  }
  const file = releasesPath(config);
  const releases = await openReleases(file, (text) => output.err(`Warning: ${text}\n`));
  await releases.add(server, releaseKey(kind, name), held['hash']);
  await manager.post(apiPath('admin', 'reload'));
  if (json) printJson(output, { server, kind, name, file });
  else output.out(`Released ${server}/${name}. Another definition with a finding is held again.\n`);
  return 0;
}

async function readFindings(
  manager: ManagerClient,
  server: string | undefined,
): Promise<FindingsPage['findings']> {
  const findings: FindingsPage['findings'][number][] = [];
  for (let cursor: string | undefined = '0'; cursor !== undefined;) {
    const query = { limit: '500', cursor, ...(server === undefined ? {} : { server }) };
    const page = (await manager.get(withQuery(apiPath('admin', 'findings'), query))) as FindingsPage;
    pushAll(findings, page.findings);
    cursor = page.nextCursor;
  }
  return findings;
}
