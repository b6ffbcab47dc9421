import { shellWord, singleQuoted } from '#core/text/shell-word.ts';
import { isTable, type TomlTable } from '../config/table-reader.ts';
import type { ChosenServer } from '../registry/choose-installation.ts';

/** Quotes a shell word: names come from a registry, and people paste these commands. */
function quoted(text: string): string {
  const simple = text.replace(PLACEHOLDER, '');
  return shellWord(simple) === simple ? text : singleQuoted(text);
}

/**
 * A placeholder that the user replaces. The shell would interpret any other unquoted angle brackets
 * as redirections.
 */
const PLACEHOLDER = /<[\w-]+>$/;

/** Returns the variables in registry arguments, where all other dollar signs are escaped. */
const variablesIn = (args: readonly string[]): string[] => [
  ...new Set(
    args.flatMap((arg) => Array.from(arg.matchAll(/(?<!\$)\$\{(\w+)\}/g), ([, variable = '']) => variable)),
  ),
];

/** Additional requirements of a registry server: headers, and variables in its arguments. */
export function listedSteps(
  name: string,
  listed: ChosenServer,
  table: TomlTable,
  headers: Readonly<Record<string, string>>,
): string {
  const given = new Set(Object.keys(headers).map((header) => header.toLowerCase()));
  const missing = listed.headers.filter(([header]) => !given.has(header.toLowerCase()));
  const args = Array.isArray(table['args']) ? table['args'].map(String) : [];
  return [
    ...missing.map(
      ([header, form]) =>
        `The server requires the header ${header}. Run \`mcp-manager config headers set ${name} ${quoted(`${header}=${form}`)}\`.\n`,
    ),
    ...variablesIn(args).map(
      (variable) =>
        `Its arguments contain the environment variable ${variable}. Set it before you start the manager.\n`,
    ),
  ].join('');
}

/** Commands that set the server's required values; the user must run them before the server can start. */
export function requiredSteps(name: string, table: TomlTable, env: Readonly<Record<string, string>>): string {
  const names = (key: string): readonly string[] => {
    const found = table[key];
    return Array.isArray(found) ? found : [];
  };
  const variables = names('required_env').filter((variable) => !env[variable]);
  const args = ['required_args', 'required_args_bool', 'required_args_positional'].flatMap((key) =>
    names(key),
  );
  return [
    ...variables.map(
      (variable) =>
        `The server requires the variable ${variable}. Run \`mcp-manager config env set ${name} ${quoted(`${variable}=<value>`)}\`.\n`,
    ),
    ...Object.keys(isTable(table['volumes']) ? table['volumes'] : {}).map(
      (volume) =>
        `The server requires a folder. Run \`mcp-manager config volumes set ${name} ${quoted(`${volume}=<folder>`)}\`.\n`,
    ),
    ...(args.length > 0
      ? [
          `The server requires arguments. Run \`mcp-manager config args set ${name} -- ${args.map(quoted).join(' ')}\`.\n`,
        ]
      : []),
  ].join('');
}
