import { omitUndefined } from '#core/json/omit-undefined.ts';
import { type Invocation, type Option, UsageError } from '#serve/cli/command.ts';
import type { EntrySettings } from '../../accounts/registry/model-entries.ts';
import { STRATEGIES } from '../../requests/routing/strategies.ts';

/** Options of `create` and `update`. */
export const ALIAS_OPTIONS = {
  target: {
    value: 'provider:model',
    help: 'Model of the alias, with an optional weight, e.g. openai:gpt-5=2',
    repeatable: true,
  },
  strategy: {
    value: 'strategy',
    help: 'How a target is selected',
    choices: STRATEGIES,
    defaultText: 'weighted',
  },
  fallback: { value: 'provider:model', help: 'Model to try after all targets have failed', repeatable: true },
} satisfies Readonly<Record<string, Option>>;

export function aliasSettings(invocation: Invocation): EntrySettings {
  const [targets, fallbacks] = [invocation.values('target'), invocation.values('fallback')];
  return omitUndefined({
    targets: targets.length === 0 ? undefined : targets.map(targetOf),
    strategy: invocation.value('strategy'),
    fallbacks: fallbacks.length === 0 ? undefined : fallbacks,
  });
}

/** A weight follows the last equals sign. Without a number there, the sign is a part of the name. */
function targetOf(text: string): EntrySettings {
  const [, model = text, weight] = /^(.+)=(-?[\d.]+)$/.exec(text) ?? [];
  if (weight === undefined) return { model };
  const number = Number(weight);
  if (number >= 0) return { model, weight: number };
  throw new UsageError(`--target: ${JSON.stringify(weight)} is not a weight; use a number of at least 0.`);
}
