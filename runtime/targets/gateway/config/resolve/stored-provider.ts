import { messageOf } from '#contract/errors.ts';
import type { Redactions } from '#core/text/redactions.ts';
import type { SchemaIssue } from '#core/yaml/issue.ts';
import { createValidate, type ValueValidator } from '#core/yaml/validate.ts';
import { joinSecrets } from '../../accounts/registry/entry-secrets.ts';
import type { EntrySettings, StoredProvider } from '../../accounts/registry/model-entries.ts';
import { CLOUDS, isCloud } from '../../providers/adapters/cloud-settings.ts';
import { checkedUrl } from '../../providers/adapters/upstream.ts';
import type { ProviderLimits } from '../../providers/adapters/provider.ts';
import { type StoredProviderEntry, storedProvider } from '../schemas/stored-entries.ts';
import type { ConfiguredProvider, EntryOutcome } from '../stored-models.ts';
import type { ResolveContext } from './context.ts';
import { ENCODER, resolveProvider } from './provider.ts';

interface ProviderDefaults {
  readonly limits: Partial<ProviderLimits>;
  readonly usesPriceMap: boolean | undefined;
}

type ResolveStored = (entry: StoredProvider, secrets: Redactions) => EntryOutcome<ConfiguredProvider>;

/** Returns the resolver for stored providers. They follow the rules of the file, and those of `credentialProblem`. */
export function createStoredProviders(
  context: ResolveContext,
  { limits, usesPriceMap }: ProviderDefaults,
): ResolveStored {
  let compiled: ValueValidator | undefined;
  const validate: ValueValidator = (value, options) =>
    (compiled ??= createValidate(storedProvider, { fillsDefaults: false }))(value, options);
  return ({ name, settings, secrets: own }, secrets) => {
    if (own === undefined) return invalid(UNOPENED);
    const entry = joinSecrets(settings, own);
    const findings: SchemaIssue[] = validate(structuredClone(entry), {
      source: () => '',
      hidden: hiddenValue,
    });
    if (name === ENCODER) return invalid('The name `encoder` is reserved for encoders. Use another name.');
    if (findings.length === 0) {
      const foreign = credentialProblem(name, entry);
      if (foreign !== undefined) return invalid(foreign);
      const instance = resolveProvider(
        {
          ...context,
          secrets,
          report: (path, message, at = 'value') => findings.push({ path: path.slice(2), message, at }),
          // Keys in the environment belong to the addresses of presets and of the environment.
          flagsAndEnv: hasOwnAddress(entry)
            ? { ...context.flagsAndEnv, variable: () => undefined }
            : context.flagsAndEnv,
        },
        ['providers', name],
        entry,
        limits,
        usesPriceMap,
      );
      const problem = instance && addressProblem(instance);
      if (problem !== undefined) return invalid(problem);
      if (instance && findings.length === 0) return { status: 'active', value: instance, problem: null };
    }
    return invalid(findings.map(sentenceOf).join(' '));
  };
}

const UNOPENED =
  'The provider’s secrets cannot be decrypted, because they were stored with another master key or for another address. Set them again.';

const invalid = (problem: string) => ({ status: 'invalid', problem }) as const;

/** Messages only repeat values that are not secret. */
const hiddenValue = (path: readonly string[]): string | undefined =>
  /^(api_key|keys|headers|client_secret|secret_access_key|session_token)$/.test(path[0] ?? '') ||
  /^(api_key|client_secret|secret_access_key|session_token)$/.test(path.at(-1) ?? '')
    ? 'a hidden value'
    : undefined;

const hasOwnAddress = ({ api_base: base, entra }: StoredProviderEntry): boolean =>
  base !== undefined || entra?.authority !== undefined;

/** The gateway machine's credentials must not be sent to an address chosen by a gateway administrator. */
function credentialProblem(name: string, entry: StoredProviderEntry): string | undefined {
  if (entry.api_base === undefined) return undefined;
  const type = (entry.type ?? name).toLowerCase();
  const hasOwn =
    entry.api_key !== undefined || entry.keys !== undefined || entry.aws?.secret_access_key !== undefined;
  if (isCloud(type) && CLOUDS[type].usesMachine(hasOwn))
    return `\`api_base\` of type ${type} would receive this machine’s credentials. Omit it, or use the configuration file.`;
  return undefined;
}

/** The check that is otherwise done when opening the provider. */
function addressProblem(instance: ConfiguredProvider): string | undefined {
  if ('path' in instance) return undefined;
  try {
    checkedUrl(instance.name, instance.baseUrl, instance.local);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

export const sentenceOf = ({ path, message }: SchemaIssue): string =>
  `${path.length === 0 ? '' : `\`${path.join('.')}\`: `}${message.replace(/\.$/, '')}.`;

/** The entry member that a problem concerns; undefined if it concerns the whole entry. */
export const memberOfProblem = (problem: string, settings: EntrySettings): string | undefined =>
  Object.keys(settings).find((member) => problem.startsWith(`\`${member}`));
