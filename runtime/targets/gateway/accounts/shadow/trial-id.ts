import { createHash } from 'node:crypto';
import type { TrialPlan } from './shadow-records.ts';

/** The ID of an alias's evaluation: other settings are another evaluation, but it can be continued with more rows. */
export function trialIdOf(alias: string, { maxRows: _end, ...identity }: TrialPlan): string {
  const text = JSON.stringify([alias, identity]);
  return `trial_${createHash('sha256').update(text).digest('base64url').slice(0, 24)}`;
}
