import { AppError } from '#contract/errors.ts';
import { isObject } from '#core/json/is-object.ts';
import { omitUndefined } from '#core/json/omit-undefined.ts';
import { formatIssues } from '#core/yaml/issue.ts';
import { type Invocation, type Option, UsageError } from '#serve/cli/command.ts';
import { readInput } from '#serve/cli/read-input.ts';
import type { EntrySettings } from '../../accounts/registry/model-entries.ts';
import { expandFile } from '../../config/expand-file.ts';

/** Options of `create` and `update`. Secrets are read from files, because all users can read a command line. */
export const PROVIDER_OPTIONS = {
  type: {
    value: 'type',
    help: 'A preset such as openai, azure, bedrock, vertex, openai-compatible or encoder',
    defaultText: 'the name of the provider',
  },
  'api-base': { value: 'url', help: 'Base URL; presets have a default' },
  'api-key-file': { value: 'file', help: 'File containing the API key, or - for standard input' },
  model: { value: 'model', help: 'Model of a provider without a list of models', repeatable: true },
  local: { help: 'Allow addresses on this machine or in a private network' },
  file: {
    value: 'file',
    help: 'Other settings, as in the configuration file (YAML or JSON), or - for standard input',
  },
} satisfies Readonly<Record<string, Option>>;

/** Reads the settings of the command line, which take precedence over those of `--file`. */
export async function providerSettings(invocation: Invocation): Promise<EntrySettings> {
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
    import('../../config/schemas/stored-entries.ts'),
  ]);
  const { value, issues, lines } = parseYaml(await readInput(file, 'the settings'));
  if (issues.length > 0) throw new AppError('InputError', formatIssues(issues, shown, lines));
  if (!isObject(value))
    throw new AppError('InputError', `${shown} must contain settings such as \`api_key\` and \`headers\`.`);
  const { value: expanded, findings } = expandFile(value, storedProvider, process.env);
  if (findings.length > 0) {
    const problems = findings.map(({ path, message }) => `${path.join('.')}: ${message}`);
    throw new AppError('InputError', `${shown}: ${problems.join('; ')}.`);
  }
  return isObject(expanded) ? expanded : {};
}
