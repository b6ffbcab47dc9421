import { isTable, type TableReader } from '../../config/table-reader.ts';
import type { RemoteEndpoint, UrlVariable } from '../entry.ts';
import { variablesOfUrl } from '../fill-url.ts';
import { literal, plain, tablesIn } from './format.ts';

const TRANSPORTS = new Set(['streamable-http', 'streamable', 'http', 'sse']);

/** Reads a remote address of the official registry; returns a text that explains why it cannot be used. */
export function readRemote(
  table: TableReader,
  isRequired: (table: TableReader) => boolean,
): RemoteEndpoint | string {
  const type = plain(table.any('type') ?? table.any('transport_type'));
  const url = plain(table.any('url'));
  if (!TRANSPORTS.has(type))
    return `its remote server has the transport ${JSON.stringify(type)}, not http or sse.`;
  // Variables can be in any part; their names are replaced to check the rest.
  const names = variablesOfUrl(url);
  const filled = names.reduce((text, name) => text.replaceAll(`{${name}}`, 'x'), url);
  if (!/^https?:\/\/[^{}\s]+$/.test(filled))
    return `the URL of its remote server is ${JSON.stringify(url.slice(0, 200))}, which is not valid.`;
  const listed = tablesIn(table, 'headers').map((header) => ({
    name: plain(header.any('name')),
    value: plain(header.any('value')),
    isRequired: isRequired(header),
  }));
  const open = listed.filter((header) => header.isRequired && isOpen(header.value));
  const fixed = listed.filter(({ value }) => !isOpen(value));
  const forms = open.filter(({ value }) => value !== '');
  return {
    url: literal(url),
    transport: type === 'sse' ? 'sse' : 'http',
    headers: open.map(({ name }) => name),
    ...(forms.length > 0 && {
      headerForms: Object.fromEntries(
        forms.map(({ name, value }) => [name, value.replaceAll(/\{(\w+)\}/g, '<$1>')]),
      ),
    }),
    ...(fixed.length > 0 && {
      fixedHeaders: Object.fromEntries(fixed.map(({ name, value }) => [name, literal(value)])),
    }),
    variables: names.map((name) => readVariable(name, table.any('variables'))),
  };
}

const isOpen = (value: string): boolean => value === '' || /\{\w+\}/.test(value);

function readVariable(name: string, variables: unknown): UrlVariable {
  const found = isTable(variables) && Object.hasOwn(variables, name) ? variables[name] : undefined;
  const variable = isTable(found) ? found : {};
  const value = plain(variable['value']) || plain(variable['default']);
  const { choices } = variable;
  return {
    name,
    description: plain(variable['description']),
    ...(value !== '' && { default: literal(value) }),
    choices: Array.isArray(choices) ? choices.filter((one) => typeof one === 'string') : [],
    isSecret: (variable['isSecret'] ?? variable['is_secret']) === true,
  };
}
