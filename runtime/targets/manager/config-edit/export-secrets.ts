import { stringify } from 'smol-toml';
import { readArgs } from '../config/required-args.ts';
import { noSecrets, type SecretsEntry } from '../config/secrets-file.ts';
import type { RequiredValues, ServerEntry } from '../config/server-entry.ts';
import { variablePrefix } from '../config/server-name.ts';

export interface ExportedSecrets {
  /** A secrets file in which every value is a variable reference. */
  readonly context: string;
  /** The variables as dotenv lines to fill in. */
  readonly contract: string;
}

type Values = Readonly<Record<string, unknown>>;

/** Returns the variables that another environment must provide for the same servers, without any values. Pure. */
export function exportSecrets(
  entries: readonly ServerEntry[],
  secrets: ReadonlyMap<string, SecretsEntry>,
): ExportedSecrets {
  const variables = new Set<string>();
  const servers = entries.map((entry) => {
    const own = secrets.get(entry.name) ?? noSecrets(entry.name);
    const values = exportServer(entry, own, (name) => {
      const variable = `${variablePrefix(entry.name)}${variableName(name)}`;
      variables.add(variable);
      return `\${${variable}}`;
    });
    return [entry.name, values] as const;
  });
  const filled = servers.filter(([, values]) => Object.keys(values).length > 0);
  const lines = [...variables].toSorted().map((variable) => `${variable}=\${${variable}}\n`);
  return { context: stringify({ servers: Object.fromEntries(filled) }), contract: lines.join('') };
}

type Placeholder = (name: string) => string;

function exportServer(entry: ServerEntry, secrets: SecretsEntry, placeholder: Placeholder): Values {
  const named = (names: readonly string[], kind: string): Values =>
    Object.fromEntries(names.map((name) => [name, placeholder(`${kind}${name}`)]));
  const required = Object.keys(entry.volumes).filter((name) => entry.volumes[name]?.required);
  const values: Values = {
    args: exportArgs(secrets.args, entry.required, placeholder),
    ...(secrets.url === undefined ? {} : { url: placeholder('URL') }),
    env: named([...new Set([...entry.required.env, ...Object.keys(secrets.env)])], ''),
    headers: named(Object.keys(secrets.headers), 'HEADER__'),
    credentials: named(Object.keys(secrets.credentials), 'CREDENTIAL__'),
    oauth: named(Object.keys(secrets.oauth ?? {}), 'OAUTH__'),
    volumes: named([...new Set([...required, ...Object.keys(secrets.volumes)])], 'VOLUME__'),
  };
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => Object.keys(Object(value)).length > 0),
  );
}

/** Replaces flag values and positional arguments with variables; flags and the order are kept. */
function exportArgs(
  args: readonly string[],
  { positional, valued, flags }: RequiredValues,
  placeholder: Placeholder,
): string[] {
  const found = readArgs(args, new Set(valued));
  const missing = valued.filter((flag) => !found.values.has(flag));
  const count = Math.max(found.positional.length, positional.length);
  const operands = Array.from({ length: count }, (_, index) =>
    placeholder(positional[index] ?? `ARG_${index + 1}`),
  );
  let used = 0;
  const inPlace = args.map((arg, index) => {
    const [, flag] = /^(--?[^=]+)=/.exec(arg) ?? [];
    const before = args[index - 1] ?? '';
    if (valued.includes(before)) return placeholder(`ARG__${before}`);
    if (flag !== undefined) return `${flag}=${placeholder(`ARG__${flag}`)}`;
    if (arg.startsWith('-')) return arg;
    used += 1;
    return operands[used - 1] ?? '';
  });
  return [
    ...inPlace,
    ...missing.map((flag) => `${flag}=${placeholder(`ARG__${flag}`)}`),
    ...flags.filter((flag) => !found.flags.has(flag)),
    ...operands.slice(used),
  ];
}

const variableName = (name: string): string =>
  name
    .replaceAll(/^-+|(?<=__)-+/g, '')
    .toUpperCase()
    .replaceAll(/[^A-Z\d_]/g, '_');
