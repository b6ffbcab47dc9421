import { lookup } from '#core/values/lookup.ts';
import type { Output } from '#serve/cli/command.ts';
import { printJson, printLines, stdoutTerminal } from '#serve/cli/terminal.ts';
import { formatTable, oneLine } from '#serve/cli/table.ts';
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
  const findings: FindingsPage['findings'][number][] = [];
  for (let cursor: string | undefined = '0'; cursor !== undefined; ) {
    const query = { limit: '500', cursor, ...(server === undefined ? {} : { server }) };
    const page = (await manager.get(withQuery(apiPath('admin', 'findings'), query))) as FindingsPage;
    findings.push(...page.findings);
    cursor = page.nextCursor;
  }
  if (json) printJson(output, findings);
  else if (findings.length === 0) output.err('No findings. Lists are scanned when clients request them.\n');
  else {
    const rows = findings.map((finding) => KEYS.map((key) => oneLine(String(finding[key] ?? ''))));
    printLines(output, formatTable(COLUMNS, rows, stdoutTerminal()));
  }
  return 0;
}

const KINDS = lookup<string>({ tool: 'tool', prompt: 'prompt', resource: 'resource', template: 'resource template' });

/** Releases an item that is held because of a finding. */
export async function releaseItem(
  manager: ManagerClient,
  { server, name, kind, json }: { readonly server: string; readonly name: string; readonly kind: string; readonly json: boolean },
  output: Output,
): Promise<number> {
  const released = await manager.post(apiPath('admin', 'servers', server, 'release'), {
    kind: KINDS[kind] ?? 'tool',
    name,
  });
  if (json) printJson(output, released);
  else output.out(`Released ${server}/${name}. Another definition with a finding is held again.\n`);
  return 0;
}
