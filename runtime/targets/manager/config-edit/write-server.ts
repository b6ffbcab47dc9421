import { configError } from '#contract/errors.ts';
import type { ConfigPaths } from '../config/config-paths.ts';
import { namesOf } from '../config/config-file.ts';
import { tomlTable } from '../config/parse-toml.ts';
import { problemsError } from '../config/problems.ts';
import { readServersText } from '../config/read-servers-text.ts';
import type { TomlTable } from '../config/table-reader.ts';
import { checkServers, editSecrets, editServers, previewServers, refuseJson } from './config-editor.ts';
import { setSecret } from './secrets-text.ts';
import { addServer } from './servers-text.ts';
import { maskArgs, maskUrl } from '../config/mask-values.ts';

/** A server to add, with its secrets file values. */
export interface NewServer {
  readonly name: string;
  /** The server's keys, without its name. */
  readonly table: TomlTable;
  readonly secrets: Readonly<
    Partial<Record<'env' | 'headers' | 'credentials' | 'oauth', Readonly<Record<string, string>>>>
  >;
  /** The URL, if it must not be written to the servers file. */
  readonly secretUrl?: string | undefined;
}

/** The effect of adding servers. */
export interface AddedServers {
  /** The servers file before and after. */
  readonly before: string;
  readonly after: string;
  /** Messages about values for the secrets file. */
  readonly warnings: readonly string[];
}

/** Returns the changes that `writeServers` would make, without writing them. */
export async function previewNewServers(
  servers: readonly NewServer[],
  paths: ConfigPaths,
): Promise<AddedServers> {
  const separated = separate(servers);
  const add = adding(separated);
  await checkFirst(paths, { servers, add, source: paths.config });
  return { ...(await previewServers(paths, add)), warnings: movedValues(separated, paths) };
}

/**
 * Adds servers to the two files. If one of them is invalid, no servers are added. `source` is the
 * file that the servers come from, for messages. Resolves with messages about values that were
 * moved to the secrets file.
 */
export async function writeServers(
  servers: readonly NewServer[],
  paths: ConfigPaths,
  source = paths.config,
): Promise<readonly string[]> {
  const separated = separate(servers);
  const add = adding(separated);
  await checkFirst(paths, { servers, add, source });
  // Secrets are written first, so that a manager watching the files never sees a server without its values.
  await editSecrets(paths, (text) => separated.reduce(putSecrets, text));
  await editServers(paths, add);
  return movedValues(separated, paths);
}

/** The server without the values that look like secrets. */
type SeparatedServer = NewServer & { readonly found: Separated['secrets'] };

const separate = (servers: readonly NewServer[]): SeparatedServer[] =>
  servers.map(({ name, table, secrets, secretUrl }) => {
    const { table: shared, secrets: found } = separateSecrets(table);
    return { name, table: shared, secrets, found: { ...found, ...(secretUrl && { url: secretUrl }) } };
  });

const adding =
  (servers: readonly SeparatedServer[]) =>
  (text: string): string =>
    servers.reduce((edited, { name, table }) => addServer(edited, { name, ...table }), text);

const movedValues = (servers: readonly SeparatedServer[], { runtime }: ConfigPaths): readonly string[] =>
  servers.flatMap(({ name, found }) =>
    Object.keys(found).map((key) =>
      key === 'args'
        ? `The arguments of ${name} may contain a secret. The suspected argument and all arguments after it were stored in ${runtime}.`
        : `The ${key} of ${name} may contain a secret and was stored in ${runtime}.`,
    ),
  );

interface Addition {
  readonly servers: readonly NewServer[];
  readonly add: (text: string) => string;
  readonly source: string;
}

async function checkFirst({ config: path }: ConfigPaths, { servers, add, source }: Addition): Promise<void> {
  refuseJson(path);
  const { text } = await readServersText(path);
  const before = new Set(checkServers(path, text).map(({ message }) => message));
  const names = new Set(namesOf(tomlTable(text)['servers']));
  const taken = servers.find(({ name }) => names.has(name));
  if (taken) {
    throw configError(
      `Server ${JSON.stringify(taken.name)} already exists. Remove it first with \`mcp-manager remove ${taken.name}\`.`,
    );
  }
  const caused = checkServers(path, add(text)).filter(({ message }) => !before.has(message));
  if (caused.length > 0)
    throw problemsError(caused.map(({ message }) => ({ file: source, line: undefined, message })));
}

function putSecrets(text: string, { name, secrets, found }: SeparatedServer): string {
  const withFound = Object.entries(found).reduce(
    (edited, [key, value]) => setSecret(edited, name, [key], value),
    text,
  );
  return Object.entries(secrets).reduce(
    (edited, [table, values]) =>
      Object.entries(values).reduce(
        (more, [key, value]) => setSecret(more, name, [table, key], value),
        edited,
      ),
    withFound,
  );
}

interface Separated {
  readonly table: TomlTable;
  /** The values for the secrets file. */
  readonly secrets: { readonly args?: readonly string[]; readonly url?: string };
}

/** Separates values that look like secrets from a server, because the servers file is meant to be shared. */
function separateSecrets(table: TomlTable): Separated {
  const { args, url } = table;
  const separatedArgs = isTexts(args) ? separateArgs(args) : undefined;
  const publicUrl = typeof url === 'string' && maskUrl(url) !== url ? withoutSecrets(url) : undefined;
  return {
    table: {
      ...table,
      ...(separatedArgs ? { args: separatedArgs[0] } : {}),
      ...(publicUrl === undefined ? {} : { url: publicUrl }),
    },
    secrets: {
      ...(separatedArgs ? { args: separatedArgs[1] } : {}),
      ...(publicUrl === undefined ? {} : { url: String(url) }),
    },
  };
}

/**
 * Splits the arguments before the first secret: arguments in the secrets file are appended, so this keeps the
 * order.
 */
function separateArgs(args: readonly string[]): readonly [string[], string[]] | undefined {
  const masked = maskArgs(args);
  const secret = args.findIndex((arg, index) => masked[index] !== arg);
  if (secret < 0) return undefined;
  const belongsToFlag = /^--?[^=]+$/.test(args[secret - 1] ?? '') && !args[secret]?.startsWith('-');
  const start = belongsToFlag ? secret - 1 : secret;
  return [args.slice(0, start), args.slice(start)];
}

const withoutSecrets = (url: string): string => url.replace(/\/\/[^/?#\s]*@/, '//').replace(/\?[^#]*/, '');

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');
