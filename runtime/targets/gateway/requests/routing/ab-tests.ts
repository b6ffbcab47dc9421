import { createHash } from 'node:crypto';
import type { NewTrial, TrialPlan } from '../../accounts/shadow/shadow-records.ts';
import { trialIdOf } from '../../accounts/shadow/trial-id.ts';
import type { AbSettings, AbUnit } from './ab-settings.ts';
import type { Alias, Target } from './routing.ts';

export type Variant = 'current' | 'candidate';

/** An alias's test, ready for requests. */
export interface AbTest {
  readonly alias: string;
  readonly settings: AbSettings;
  readonly trial: NewTrial;
}

/** The A/B tests by alias. */
export type AbTests = ReadonlyMap<string, AbTest>;

/** The tests of these aliases; undefined if no alias has one, so that requests do not look for one. */
export function abTestsOf(aliases: readonly Alias[]): AbTests | undefined {
  const tests = aliases.flatMap(({ name, ab }) =>
    ab ? [[name, { alias: name, settings: ab, trial: abTrialOf(name, ab) }] as const] : [],
  );
  return tests.length === 0 ? undefined : new Map(tests);
}

/** A test as it is stored. Its ID does not depend on the share, so that the share can grow. */
export function abTrialOf(alias: string, settings: AbSettings): NewTrial {
  const { baseline, model, metrics, judge, by, windowMs, maxScore, margin, confidence, maxRows } = settings;
  const plan: TrialPlan = {
    baseline,
    candidate: model,
    metrics,
    deciding: metrics,
    judge,
    rubric: undefined,
    embedder: undefined,
    margin,
    confidence,
    maxRows,
    ab: { by, windowMs, maxScore },
  };
  return { id: trialIdOf(alias, plan), alias, plan, retentionMs: settings.retentionMs };
}

/** What a request states about its sender. */
export interface Sender {
  /** The user who pays. */
  readonly user: string;
  readonly key: string | undefined;
  /** The client's own user. */
  readonly endUser: string | undefined;
  /** The session's hash, which includes the user. */
  readonly session: string | undefined;
}

/**
 * The unit that a request belongs to, as a hash. A request without a session or an end user belongs to its user. The
 * user is part of the hash, so that the end users of two applications differ.
 */
export function unitOf({ trial: { id }, settings: { by } }: AbTest, sender: Sender): string {
  const values = {
    user: undefined,
    key: sender.key,
    end_user: sender.endUser,
    session: sender.session,
  } satisfies Record<AbUnit, string | undefined>;
  const text = JSON.stringify([id, sender.user, values[by] ?? null]);
  return createHash('sha256').update(text).digest('base64url');
}

/**
 * The variant of a unit. It only depends on the test, the unit and the share: every gateway and every thread computes
 * the same one, and with a larger share, all units that have the candidate keep it.
 */
export function variantOf(unit: string, share: number): Variant {
  const number = Buffer.from(unit, 'base64url').readUIntBE(0, 6) / 2 ** 48;
  return number < share ? 'candidate' : 'current';
}

/**
 * The variant for a request that refers to objects stored by providers, e.g. to the response before it: another provider
 * does not have them.
 */
export function variantWithObjects(
  variant: Variant,
  places: readonly { readonly provider: string }[],
  candidate: Target,
  current: readonly Target[],
): Variant {
  const has = (targets: readonly Target[]): boolean =>
    places.every((place) => targets.some(({ provider }) => provider.name === place.provider));
  if (variant === 'candidate') return has([candidate]) ? 'candidate' : 'current';
  return has(current) || !has([candidate]) ? 'current' : 'candidate';
}
