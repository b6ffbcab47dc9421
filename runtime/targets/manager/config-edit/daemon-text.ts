import { parse } from 'smol-toml';
import { configError } from '#contract/errors.ts';
import { suggest } from '#core/text/suggest.ts';
import { DAEMON_KEYS } from '../config/daemon-settings.ts';
import { isTable, type TomlTable } from '../config/table-reader.ts';
import { editTable } from './edit-table.ts';

/** Returns all `[daemon]` settings with their tables, for example `api.timeout.shutdown`. */
export function daemonKeys(): string[] {
  return Object.entries(DAEMON_KEYS).flatMap(([table, keys]) =>
    keys.map((key) => (table === '' ? key : `${table}.${key}`)).filter((key) => !(key in DAEMON_KEYS)),
  );
}

/** Returns the value of a key or table; undefined if the file does not set it. */
export function readDaemonKey(text: string, key: string): unknown {
  if (key !== '' && !(key in DAEMON_KEYS)) refuseUnknownKey(key);
  const path = ['daemon', ...key.split('.').filter((part) => part !== '')];
  return path.reduce((table: unknown, part) => (isTable(table) ? table[part] : undefined), tableOf(text));
}

/** Sets a key to a value given on the command line. */
export function setDaemonKey(text: string, key: string, written: string): string {
  refuseUnknownKey(key);
  return edit(text, key, valueOf(key, written));
}

export function removeDaemonKey(text: string, key: string): string {
  refuseUnknownKey(key);
  return edit(text, key, undefined);
}

function edit(text: string, key: string, value: unknown): string {
  const path = ['daemon', ...key.split('.')];
  return editTable(text, path.slice(0, -1), path.at(-1) ?? '', value);
}

const tableOf = (text: string): TomlTable => parse(text.replace(/^\uFEFF/, ''));

const LISTS = new Set([
  'allow_origins',
  'allow_methods',
  'allow_headers',
  'expose_headers',
  'audiences',
  'algorithms',
]);
const SWITCHES = new Set(['enable', 'allow_credentials']);

function valueOf(key: string, written: string): unknown {
  const name = key.split('.').at(-1) ?? '';
  if (SWITCHES.has(name) && /^(?:true|false)$/.test(written)) return written === 'true';
  if (!LISTS.has(name)) return written;
  return written
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function refuseUnknownKey(key: string): void {
  const known = daemonKeys();
  if (known.includes(key)) return;
  const suggestion = suggest(key, known);
  const wayOut =
    suggestion === undefined
      ? 'See `mcp-manager config daemon list --available`.'
      : `Did you mean ${suggestion}?`;
  throw configError(`[daemon] has no setting ${JSON.stringify(key)}. ${wayOut}`);
}
