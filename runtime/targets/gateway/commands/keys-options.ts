import { omitUndefined } from '#core/json/omit-undefined.ts';
import { matchesAny } from '#core/text/name-pattern.ts';
import { didYouMean } from '#core/text/suggest.ts';
import { type Invocation, type Option, UsageError } from '#serve/cli/command.ts';
import { commonOptions } from '#serve/cli/common-options.ts';
import type { KeyBudget, KeyChanges } from '../accounts/identity/identity.ts';
import { METADATA_OPTION, metadataOf, clearableValue } from './options/changes.ts';
import {
  ALERT_OPTION,
  alertThresholdsOf,
  amountRule,
  parseAmount,
  parsePeriod,
  periodRule,
  LIMIT_OPTIONS,
  limitsOf,
} from './options/limit-options.ts';
import { expiryOf } from './options/time-options.ts';
import type { StoreContext } from './store/store-command.ts';

/** Options of `keys create` and `keys update`. */
export const KEY_OPTIONS = {
  name: { value: 'name', help: 'Name of the key' },
  ...commonOptions({ expires: { help: 'Expiry, e.g. 90d, 2027-01-31 or never' } }),
  model: {
    value: 'pattern',
    help: 'Allowed models, e.g. openai:gpt-4o, openai:* or an alias',
    repeatable: true,
  },
  budget: { value: 'amount', help: 'Budget in dollars, e.g. 5 or 2.50; none for no limit' },
  'budget-every': {
    value: 'time',
    help: 'Budget reset interval: daily, weekly, monthly, a duration such as 12h, or none',
  },
  ...ALERT_OPTION,
  'log-prompts': {
    value: 'setting',
    help: 'Whether to store requests and answers; default for prompt_log.enabled of the configuration',
    choices: ['on', 'off', 'default'],
  },
  ...LIMIT_OPTIONS,
  ...METADATA_OPTION,
} satisfies Readonly<Record<string, Option>>;

/** Reads all options of a key except its budget: a change can concern only the amount or only the interval. */
export function keyFields(invocation: Invocation, now: number): Omit<KeyChanges, 'isActive' | 'budget'> {
  return {
    keyName: invocation.value('name'),
    expiresAt: expiryOf(invocation, 'expires', now),
    allowedModels: modelPatternsOf(invocation),
    logPrompts: logPromptsOf(invocation),
    metadata: metadataOf(invocation),
    ...limitsOf(invocation),
  };
}

type BudgetOptions = { readonly [Name in keyof KeyBudget]: KeyBudget[Name] | undefined };

export const budgetOptionsOf = (invocation: Invocation): BudgetOptions => ({
  maxBudget: clearableValue(invocation, 'budget', { rule: amountRule, parse: parseAmount }),
  budgetDurationSec: clearableValue(invocation, 'budget-every', { rule: periodRule, parse: parsePeriod }),
  alertThresholds: alertThresholdsOf(invocation),
});

/** Applies options to the budget that a key has. Returns undefined if it does not change. */
export function mergeBudget(options: BudgetOptions, before: KeyBudget | null): KeyBudget | null | undefined {
  if (Object.values(options).every((value) => value === undefined)) return undefined;
  const { maxBudget, budgetDurationSec, alertThresholds } = {
    ...NO_BUDGET,
    ...before,
    ...omitUndefined(options),
  };
  if (maxBudget !== null || budgetDurationSec !== null)
    return { maxBudget, budgetDurationSec, alertThresholds };
  if (options.alertThresholds)
    throw new UsageError('--alert-at requires a budget of the key. Use it with --budget.');
  return null;
}

const NO_BUDGET: KeyBudget = { maxBudget: null, budgetDurationSec: null, alertThresholds: null };

/** The patterns of `--model`; undefined without the option. */
export function modelPatternsOf(invocation: Invocation): readonly string[] | undefined {
  const patterns = invocation.values('model').map((text) => text.trim());
  if (patterns.includes('')) {
    throw new UsageError('--model: an empty pattern matches no model. Use * to match all models.');
  }
  return patterns.length === 0 ? undefined : patterns;
}

const LOG_PROMPTS: Readonly<Record<string, boolean | null>> = { on: true, off: false, default: null };
const logPromptsOf = (invocation: Invocation): boolean | null | undefined =>
  LOG_PROMPTS[invocation.value('log-prompts') ?? ''];

/** Warns about patterns that match no configured model. They are accepted, because models can be configured later. */
export async function warnAboutModels(
  patterns: readonly string[] | null | undefined,
  { models, state, output }: Pick<StoreContext, 'models' | 'state' | 'output'>,
): Promise<void> {
  if (!models || !patterns) return;
  const stored = await state.modelEntries.read();
  const aliases = [...models.aliases, ...stored.aliases].map(({ name }) => name);
  const entries = stored.providers.map(({ name, settings: { type } }) => ({ name, type }));
  const providers = [...models.providers, ...entries].map(({ type, name }) =>
    type === 'encoder' ? `encoder:${name}` : name,
  );
  const matches = (pattern: string): boolean =>
    aliases.some((alias) => matchesAny([pattern], alias)) ||
    providers.some((name) => canMatch(pattern, name));
  for (const pattern of patterns.filter((candidate) => !matches(candidate))) {
    const hint = didYouMean(pattern.split(':')[0] ?? '', [...providers, ...aliases]);
    output.err(
      `Warning: ${JSON.stringify(pattern)} matches no configured provider or alias${hint || '; the key cannot use it yet'}\n`,
    );
  }
}

/** Compares the provider part only: the gateway does not know all models of a provider. */
function canMatch(pattern: string, provider: string): boolean {
  if (provider.startsWith('encoder:')) return matchesAny([pattern], provider);
  const [before = '', ...rest] = pattern.split(':');
  return matchesAny([before], provider) && (rest.length > 0 || before.endsWith('*'));
}
