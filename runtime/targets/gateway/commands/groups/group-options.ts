import { type Invocation, type Option, UsageError } from '#serve/cli/command.ts';
import type { GroupChanges } from '../../accounts/identity/groups-api.ts';
import type { Administration } from '../../gateway-state.ts';
import { modelPatternsOf } from '../keys/key-options.ts';
import { LIMIT_OPTIONS, limitsOf } from '../options/limit-options.ts';
import { METADATA_OPTION, metadataOf } from '../options/metadata-option.ts';
import { budgetIdOf } from '../users/user-options.ts';
import { findGroup, type GroupKindInfo, ORGANIZATIONS } from './group-kind.ts';

/** Options of `create` and `update`. */
export const groupOptions = ({ noun }: GroupKindInfo): Readonly<Record<string, Option>> => ({
  alias: { value: 'name', help: `Display name of the ${noun}` },
  ...(noun === 'team' && {
    org: { value: 'id|alias', help: 'Organization of the team, or none' },
  }),
  budget: { value: 'id|name', help: `Budget that all keys of the ${noun} share, or none` },
  model: {
    value: 'pattern',
    help: `Models that keys of the ${noun} can use, e.g. openai:*`,
    repeatable: true,
  },
  'any-model': { help: 'Allow all models' },
  ...LIMIT_OPTIONS,
  ...METADATA_OPTION,
});

export const groupFields = (invocation: Invocation): GroupChanges => ({
  alias: invocation.value('alias'),
  allowedModels: allowedModelsOf(invocation),
  metadata: metadataOf(invocation),
  ...limitsOf(invocation),
});

function allowedModelsOf(invocation: Invocation): readonly string[] | null | undefined {
  const patterns = modelPatternsOf(invocation);
  if (!invocation.flag('any-model')) return patterns;
  if (patterns) throw new UsageError('--model conflicts with --any-model; use one of them.');
  return null;
}

/** The budget and the organization that the command line names; null for `none`. */
export async function referencesOf(
  { identity, budgets }: Administration,
  invocation: Invocation,
  { noun }: GroupKindInfo,
): Promise<Pick<GroupChanges, 'budgetId' | 'organizationId'>> {
  const budgetId = await budgetIdOf(budgets, invocation.value('budget'));
  const org = noun === 'team' ? invocation.value('org') : undefined;
  if (org === undefined) return { budgetId };
  const organizationId = org === 'none' ? null : (await findGroup(identity, ORGANIZATIONS, org)).id;
  return { budgetId, organizationId };
}
