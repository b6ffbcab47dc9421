import type { Command } from '#serve/cli/command.ts';
import type { KeyRecord, KeyState } from '../../access/key-file.ts';
import { formatTable } from '#serve/cli/table.ts';
import { printLines, stdoutTerminal } from '#serve/cli/terminal.ts';
import { isJson } from '#serve/cli/output-format.ts';
import { KEYS_OPTIONS, keysFile } from './options.ts';

/** `keys list`: lists the key records; the keys themselves are not stored. */
export const listKeysCommand: Command = {
  summary: 'List the API keys and their permissions.',
  options: KEYS_OPTIONS,
  async run(invocation, output) {
    const { readKeyFile, stateOf } = await import('../../access/key-file.ts');
    const now = Date.now();
    const file = keysFile(invocation);
    const records = readKeyFile(file) ?? [];
    if (isJson(invocation)) {
      const shown = records.map(({ hash: _hash, ...record }) => ({ ...record, state: stateOf(record, now) }));
      output.out(`${JSON.stringify(shown)}\n`);
    } else if (records.length === 0) {
      output.err(`No keys in ${file}. Calls do not require a key.\n`);
    } else {
      printLines(
        output,
        formatTable(
          COLUMNS,
          records.map((record) => row(record, stateOf(record, now))),
          stdoutTerminal(),
        ),
      );
    }
    return 0;
  },
};

const COLUMNS = ['ID', 'NAME', 'STATE', 'ACCESS', 'RATE', 'EXPIRES'];

const row = (record: KeyRecord, state: KeyState): string[] => [
  record.id,
  record.name,
  state,
  accessOf(record),
  record.rate ?? '-',
  record.expires?.slice(0, 10) ?? '-',
];

function accessOf({
  admin,
  adminReadOnly = false,
  edit = false,
  readOnly,
  servers,
  tools,
  prompts = [],
  resources = [],
  groups = [],
  resultLimit,
  mcpMode,
}: KeyRecord): string {
  const scopes = [
    ...servers,
    ...tools,
    ...prompts.map((pattern) => `prompt:${pattern}`),
    ...resources.map((pattern) => `resource:${pattern}`),
    ...groups.map((name) => `group:${name}`),
  ];
  return [
    scopes.length === 0 ? 'all servers' : scopes.join(' '),
    ...(readOnly ? ['read-only'] : []),
    ...(admin ? [adminReadOnly ? 'admin (read-only)' : 'admin'] : []),
    ...(edit ? ['edit'] : []),
    ...(resultLimit === undefined ? [] : [`results up to ${resultLimit || 'any size'}`]),
    ...(mcpMode === undefined ? [] : [`mode ${mcpMode}`]),
  ].join(', ');
}
