import { parseJsonText } from '#core/json/json-text.ts';
import type { Output } from '#serve/cli/command.ts';
import { stopSignal } from '#serve/program/signals.ts';
import { apiPath, type ManagerClient, withQuery } from './manager-client.ts';
import { printLines } from '#serve/cli/terminal.ts';
import { oneLine } from '#serve/cli/table.ts';

interface LogLine {
  readonly at: string;
  readonly source: string;
  readonly text: string;
}

export interface ShowLogsOptions {
  readonly server: string;
  readonly lines: number;
  /** Prints each line as a JSON object instead of text. */
  readonly json: boolean;
}

export async function showLogs(
  manager: ManagerClient,
  { server, lines, json }: ShowLogsOptions,
  output: Output,
): Promise<number> {
  const answer = await manager.get(
    withQuery(apiPath('admin', 'servers', server, 'logs'), { lines: String(lines) }),
  );
  printLines(
    output,
    (answer as { lines: readonly LogLine[] }).lines.map((line) => format(line, json)),
  );
  return 0;
}

/** Prints log lines until this process receives a stop signal or the manager stops. */
export async function printLogsAsWritten(
  manager: ManagerClient,
  { server, lines, json }: ShowLogsOptions,
  output: Output,
): Promise<number> {
  const { signal, forget } = stopSignal();
  try {
    const query = { follow: 'true', lines: String(lines) };
    const path = withQuery(apiPath('admin', 'servers', server, 'logs'), query);
    for await (const line of manager.lines(path, signal)) {
      printLines(output, [format(parseJsonText(line) as LogLine, json)]);
    }
  } finally {
    forget();
  }
  if (!signal.aborted) output.err('The manager stopped.\n');
  return 0;
}

const format = (line: LogLine, json: boolean): string =>
  json ? JSON.stringify(line) : `${line.at}  ${line.source.padEnd('manager'.length)}  ${oneLine(line.text)}`;
