import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { AppError } from '#contract/errors.ts';
import { membersOf } from '#core/json/members-of.ts';
import type { Key, KeyChanges } from '../fields/keys.ts';
import type { Keys } from '../identity/identity.ts';
import { refused } from './match-claims.ts';
import type { WorkloadIssuer, WorkloadRule } from './workload-config.ts';

/** Finds or creates the key of a user of a workload issuer; returns its ID. */
export type WorkloadKeys = (issuer: WorkloadIssuer, rule: WorkloadRule, userId: string) => Promise<string>;

/**
 * Each user of an issuer has one key in the database, whose secret is never shown. So budgets, rates, allowed
 * models, usage and the switch that disables it are those of any other key.
 */
export function createWorkloadKeys(keys: Keys): WorkloadKeys {
  return async (issuer, rule, userId) => {
    const id = keyIdOf(issuer, rule, userId);
    const known = await find(keys, id);
    if (!known) {
      await create(keys, id, { issuer, rule, userId });
      return id;
    }
    const changes = differencesOf(rule.settings, known);
    if (Object.keys(changes).length > 0) await keys.change(id, changes);
    return id;
  };
}

const prefixOf = ({ name }: Pick<WorkloadIssuer, 'name'>): string => `workload:${name}:`;

/** A key cannot change its team, so the team is part of the ID. */
const keyIdOf = (issuer: WorkloadIssuer, { team }: WorkloadRule, userId: string): string =>
  prefixOf(issuer) +
  createHash('sha256')
    .update(JSON.stringify([team, userId]))
    .digest('hex')
    .slice(0, 32);

async function find(keys: Keys, id: string): Promise<Key | undefined> {
  try {
    return await keys.get(id);
  } catch (error) {
    if (error instanceof AppError && error.reason === 'key_not_found') return undefined;
    throw error;
  }
}

interface NewWorkloadKey {
  readonly issuer: WorkloadIssuer;
  readonly rule: WorkloadRule;
  readonly userId: string;
}

async function create(keys: Keys, id: string, { issuer, rule, userId }: NewWorkloadKey): Promise<void> {
  await requireRoom(keys, issuer);
  const { team: teamId, settings } = rule;
  try {
    await keys.create({ id, userId, teamId, keyName: `Workload ${issuer.name}`, ...settings });
  } catch (error) {
    // Another request, or another gateway, may have created it.
    if (await find(keys, id)) return;
    if (error instanceof AppError && error.reason === 'team_not_found')
      throw refused(
        `The workload issuer \`${issuer.name}\` requires the team \`${teamId ?? ''}\`, which does not exist. Ask an administrator to create it.`,
      );
    throw error;
  }
}

/**
 * Claims such as a branch can have any number of values, each of which would create a user. Keys are counted by their
 * IDs, because members choose the names of their keys, and could otherwise use up the maximum.
 */
async function requireRoom(keys: Keys, issuer: WorkloadIssuer): Promise<void> {
  const { name, maxUsers } = issuer;
  const [last] = await keys.list({ skip: maxUsers - 1, limit: 1 }, { idPrefix: prefixOf(issuer) });
  if (last === undefined) return;
  throw refused(
    `The workload issuer \`${name}\` has ${maxUsers} users, its maximum. Ask an administrator to delete keys that are no longer needed, or to increase \`max_users\`.`,
  );
}

/**
 * The settings of a rule that a key does not have yet. A budget keeps what only the gateway sets, such as
 * alerts, and its window unless it changes.
 */
function differencesOf({ budget, ...settings }: WorkloadRule['settings'], key: Key): KeyChanges {
  const current = membersOf(key);
  const changed = Object.entries(settings).filter(
    ([name, value]) => value !== undefined && !isDeepStrictEqual(value, current[name]),
  );
  const isNewBudget = budget && !isDeepStrictEqual({ ...key.budget }, { ...key.budget, ...budget });
  return { ...Object.fromEntries(changed), ...(isNewBudget && { budget: { ...key.budget, ...budget } }) };
}
