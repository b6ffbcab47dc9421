import { CLOUDS } from '../providers/adapters/cloud-settings.ts';
import { AppError, configError } from '#contract/errors.ts';
import { isObject } from '#core/json/is-object.ts';
import { omitUndefined } from '#core/json/omit-undefined.ts';
import { formatIssues } from '#core/yaml/issue.ts';
import {
  type Command,
  type CommandGroup,
  type Invocation,
  type Option,
  UsageError,
} from '#serve/cli/command.ts';
import { JSON_OPTION } from '#serve/cli/output-format.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { readInput } from '#serve/cli/read-input.ts';
import type { formatTable } from '#serve/cli/table.ts';
import type { EntrySettings } from '../accounts/registry/model-entries.ts';
import { providerView } from '../api/views/models.ts';
import { expandFile } from '../config/expand-file.ts';
import { STORE_OPTIONS } from '../config/options.ts';
import type { StoredProviderEntry } from '../config/schemas/stored-entries.ts';
import type { EntryRegistry, RegisteredProvider, EntryStatus } from '../registry/registry.ts';
import { requireChanges } from './options/changes.ts';
import { formatTime, orDash } from './show/format-values.ts';
import { resourceCommands } from './store/resource-commands.ts';
import type { StoreContext } from './store/store-command.ts';

/** The providers in the database and in the command's configuration file. */
async function providersOf({
  state,
  config,
}: Pick<StoreContext, 'state' | 'config'>): Promise<EntryRegistry<RegisteredProvider>> {
  const { createProviderRegistry } = await import('../registry/provider-registry.ts');
  return createProviderRegistry({ entries: state.modelEntries, config: () => config.fileModels });
}

/** Options for `create` and `update`. Secrets are read from files, because all users can see command lines. */
const PROVIDER_OPTIONS = {
  type: {
    value: 'type',
    help: `A preset such as openai, ${Object.keys(CLOUDS).join(', ')}, openai-compatible or encoder`,
    defaultText: 'the name of the provider',
  },
  'api-base': { value: 'url', help: 'Base URL; presets have a default' },
  'api-key-file': { value: 'file', help: 'File containing the API key, or - for standard input' },
  model: { value: 'model', help: 'Model name, for a provider that cannot list its models', repeatable: true },
  local: { help: 'Allow addresses on this machine or in a private network' },
  file: {
    value: 'file',
    help: 'Other settings, as in the configuration file (YAML or JSON), or - for standard input',
  },
} satisfies Readonly<Record<string, Option>>;

/** Parses the settings on the command line, which take precedence over `--file`. */
async function providerSettings(invocation: Invocation): Promise<EntrySettings> {
  const [file, keyFile] = [invocation.value('file'), invocation.value('api-key-file')];
  if (file === '-' && keyFile === '-')
    throw new UsageError('--file and --api-key-file cannot both read standard input.');
  const models = invocation.values('model');
  const own = omitUndefined({
    type: invocation.value('type'),
    api_base: invocation.value('api-base'),
    api_key: keyFile === undefined ? undefined : (await readInput(keyFile, 'the API key')).trim(),
    models: models.length === 0 ? undefined : models,
    local: invocation.flag('local') ? true : undefined,
  });
  return { ...(file === undefined ? {} : await readSettings(file)), ...own };
}

async function readSettings(file: string): Promise<EntrySettings> {
  const shown = file === '-' ? 'Standard input' : file;
  const [{ parseYaml }, { storedProvider }] = await Promise.all([
    import('#core/yaml/parse-yaml.ts'),
    import('../config/schemas/stored-entries.ts'),
  ]);
  const { value, issues, lines } = parseYaml(await readInput(file, 'the settings'));
  if (issues.length > 0) throw new AppError('InputError', formatIssues(issues, shown, lines));
  if (!isObject(value))
    throw new AppError('InputError', `${shown} must contain settings such as \`api_key\` or \`headers\`.`);
  const { value: expanded, findings } = expandFile(value, storedProvider, process.env);
  if (findings.length > 0) {
    const problems = findings.map(({ path, message }) => `${path.join('.')}: ${message}`);
    throw new AppError('InputError', `${shown}: ${problems.join('; ')}.`);
  }
  return isObject(expanded) ? expanded : {};
}

function recordOf(entry: RegisteredProvider): Record<string, string> {
  const view = providerView(entry);
  return {
    name: view.name,
    source: view.source,
    status: view.status,
    ...(view.problem !== null && { problem: view.problem }),
    type: orDash(view.type),
    address: addressText(entry),
    secrets: view.secrets.join(', ') || '-',
    'used by': view.used_by.join(', ') || '-',
    ...(view.settings && { settings: JSON.stringify(view.settings) }),
    updated: formatTime(entry.stored?.updatedAt ?? null),
  };
}

/** The provider's base URL, or the path of the encoder's executable. */
const addressText = ({ value }: Pick<RegisteredProvider, 'value'>): string =>
  !value ? '-' : 'path' in value ? value.path : value.baseUrl;

/** Warns about secrets that a gateway with a master key cannot decrypt. */
function warnWithoutMasterKey(
  { stored }: RegisteredProvider,
  { config, output }: Pick<StoreContext, 'config' | 'output'>,
): void {
  if (config.masterKey !== undefined || !stored || stored.secretNames.length === 0) return;
  output.err(
    'Warning: No master key is set here, so a gateway with a master key cannot decrypt the secrets of this provider. Set GATEWAY_MASTER_KEY, then set the secrets again.\n',
  );
}

const rowOf = (entry: RegisteredProvider): Parameters<typeof formatTable>[1][number] => [
  entry.name,
  entry.source,
  providerStatusCell(entry.status),
  orDash(entry.value?.type ?? null),
  addressText(entry),
  entry.usedBy.join(', ') || '-',
];

export const providerStatusCell = (status: EntryStatus) => ({ text: status, style: STYLES[status] }) as const;

const STYLES = { active: 'green', shadowed: 'dim', invalid: 'red' } as const;

/** A stored provider's settings, without validation: loading the schema takes longer than the rest of the command. */
const SETTINGS: Readonly<Record<keyof StoredProviderEntry, true>> = {
  type: true,
  api_key: true,
  keys: true,
  api_base: true,
  headers: true,
  local: true,
  models: true,
  timeouts: true,
  max_connections: true,
  max_response_bytes: true,
  dialect: true,
  api_version: true,
  deployments: true,
  entra: true,
  aws: true,
  google: true,
  priced_as: true,
};

const COMMANDS = resourceCommands<RegisteredProvider>({
  argument: '<name>',
  needsMasterKey: true,
  find: async (context, name) => await (await providersOf(context)).get(name),
  view: providerView,
  record: recordOf,
  warn: warnWithoutMasterKey,
  list: {
    summary: 'List the providers in the configuration file and in the database.',
    prepare: () => async (context) => await (await providersOf(context)).list(),
    none: 'There are no providers. Create one with `gateway providers create`.',
    heads: ['NAME', 'SOURCE', 'STATUS', 'TYPE', 'ADDRESS', 'USED BY'],
    rows: (entries) => entries.map(rowOf),
  },
  get: { summary: 'Show a provider, without its secret values.' },
  create: {
    summary: 'Create a provider. Running gateways use it within a second.',
    argument: '<name>',
    options: PROVIDER_OPTIONS,
    prepare: (invocation, name) => async (context) => {
      const providers = await providersOf(context);
      return await providers.create(name, await providerSettings(invocation));
    },
  },
  update: {
    summary: 'Change a provider in the database. Running gateways apply the change within a second.',
    options: {
      ...PROVIDER_OPTIONS,
      clear: {
        value: 'setting',
        help: 'Setting to remove, e.g. headers',
        choices: Object.keys(SETTINGS),
        repeatable: true,
      },
    },
    prepare(invocation, name) {
      const cleared = Object.fromEntries(invocation.values('clear').map((setting) => [setting, null]));
      const isChanged = Object.keys(PROVIDER_OPTIONS).some((option) => invocation.given(option));
      requireChanges({ ...cleared, isChanged: isChanged || undefined });
      return async (context) => {
        const changes = { ...cleared, ...(await providerSettings(invocation)) };
        return await (await providersOf(context)).change(name, changes);
      };
    },
  },
  delete: {
    summary: 'Delete a provider from the database. No alias can use it.',
    async run(name, context) {
      await (await providersOf(context)).delete(name);
      return [{ name }, `Deleted provider ${name}.`];
    },
  },
});

/** `providers test` sends a request from this process, so the gateway does not have to be running. */
const testProviderCommand: Command = {
  summary: 'Check that a provider responds and accepts its key. Exits with 1 if the check fails.',
  positionals: '<name>',
  options: { ...JSON_OPTION, ...STORE_OPTIONS },
  async run(invocation, output) {
    const [name] = exactly(invocation, '<name>');
    // Imported after parsing, because neither the help nor command-line errors need the database or the
    // network.
    const { withState } = await import('./store/with-state.ts');
    const { openProviders } = await import('./doctor/open-providers.ts');
    const { checkProvider } = await import('./doctor/check-provider.ts');
    const { createRedactor } = await import('#serve/redact.ts');
    const { showFindings } = await import('#serve/cli/doctor/finding.ts');
    const found = await withState(
      invocation,
      async (state, config) => {
        const { value, problem } = await (await providersOf({ state, config })).get(name);
        if (!value) throw configError(`Provider '${name}' cannot be used: ${problem ?? 'it is invalid.'}`);
        const stored = config.fileModels.withStored(await state.modelEntries.read());
        return { value, secrets: [...config.secrets, ...stored.secrets] };
      },
      { needsMasterKey: true },
    );
    const { opened, findings } = openProviders([found.value]);
    try {
      const checked = await Promise.all(opened.map(checkProvider));
      // Provider messages can repeat a key that was sent.
      const { text } = createRedactor(found.secrets);
      const all = [...findings, ...checked.map(({ finding }) => finding)];
      const shown = all.map((finding) => ({ ...finding, message: text(finding.message) }));
      return showFindings(shown, invocation.flag('json'), output);
    } finally {
      await Promise.all(opened.map(async ({ provider }) => await provider.close()));
    }
  },
};

export const PROVIDER_COMMANDS: CommandGroup = {
  summary:
    'Manage providers in the database; providers in the configuration file can only be listed and tested.',
  commands: {
    list: COMMANDS.list,
    get: COMMANDS.get,
    create: COMMANDS.create,
    update: COMMANDS.update,
    delete: COMMANDS.delete,
    test: testProviderCommand,
  },
};
