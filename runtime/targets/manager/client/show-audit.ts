import type { Output } from '#serve/cli/command.ts';
import { printJson, printLines, stdoutTerminal } from '#serve/cli/terminal.ts';
import { formatTable, oneLine } from '#serve/cli/table.ts';
import { apiPath, type ManagerClient, withQuery } from './manager-client.ts';

interface AuditAnswer {
  readonly enabled: boolean;
  readonly entries: readonly Readonly<Record<string, unknown>>[];
}

export interface ShowAuditOptions {
  /** Filters and maximum number of entries. */
  readonly query: Readonly<Record<string, string>>;
  readonly json: boolean;
}

/** Prints the latest audit log entries, newest first. */
export async function showAudit(
  manager: ManagerClient,
  { query, json }: ShowAuditOptions,
  output: Output,
): Promise<number> {
  const answer = (await manager.get(withQuery(apiPath('admin', 'audit'), query))) as AuditAnswer;
  if (!answer.enabled) {
    output.err('The manager does not audit calls. Start it with --audit-log <file>.\n');
  }
  if (json) printJson(output, answer.entries);
  else {
    const rows = answer.entries.map((entry) => KEYS.map((key) => oneLine(cellOf(entry[key]))));
    printLines(output, formatTable(COLUMNS, rows, stdoutTerminal()));
  }
  return 0;
}

const cellOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '-';

const KEYS = ['at', 'caller', 'server', 'kind', 'name', 'outcome', 'ms'];
const COLUMNS = ['TIME', 'KEY', 'SERVER', 'KIND', 'NAME', 'OUTCOME', 'MS'];
