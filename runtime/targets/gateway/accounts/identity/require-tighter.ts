import type { AppError } from '#contract/errors.ts';
import { membersOf } from '#core/json/members-of.ts';
import { type Field, type FieldTable, nameOf } from '../fields/field.ts';
import type { RateLimits } from '../fields/shared-fields.ts';
import { forbidden } from './manager.ts';

/**
 * Throws a ForbiddenError if changes grant more than a team administrator can grant, based on the `teamAdmin`
 * rule of each field. `before` is empty for a new object. Unlike key limits, user limits replace the
 * configured defaults.
 */
export function requireTighter(
  table: FieldTable,
  before: object,
  changes: object,
  defaults: Partial<RateLimits> = {},
): void {
  const [old, changed, standard] = [membersOf(before), membersOf(changes), membersOf(defaults)];
  for (const [name, field] of Object.entries(table)) {
    const member = nameOf(name, field);
    const to = changed[member];
    if (to === undefined || field.teamAdmin === undefined) continue;
    const fallback = standard[member] ?? null;
    const problem =
      field.teamAdmin === 'tighter'
        ? looserProblem(field, { name, from: old[member], to, fallback })
        : field.teamAdmin === 'off'
          ? switchProblem(name, old[member], to)
          : changeProblem(name, old[member], to);
    if (problem !== undefined) throw needsAdmin(problem);
  }
}

const changeProblem = (name: string, from: unknown, to: unknown): string | undefined =>
  to === (from ?? null) ? undefined : `${name} cannot be changed`;

const switchProblem = (name: string, from: unknown, to: unknown): string | undefined =>
  to === true && from !== true ? `${name} cannot be set to true` : undefined;

interface Change {
  readonly name: string;
  readonly from: unknown;
  readonly to: unknown;
  /** The configured default for a rate; null for no limit. */
  readonly fallback: unknown;
}

/** Why a change allows more than before; undefined if it does not. */
function looserProblem({ kind }: Field, { name, from, to, fallback }: Change): string | undefined {
  if (kind === 'flag') return to === false && from === true ? `${name} cannot be set to false` : undefined;
  if (kind === 'choice') {
    if (to === false && from !== false) return `${name} cannot be set to false`;
    return to === null && from === true ? `${name} is true and cannot be cleared` : undefined;
  }
  const highest = limitOf(from ?? fallback);
  return limitOf(to ?? fallback) <= highest
    ? undefined
    : `${name} cannot exceed ${highest}, the limit of the user`;
}

const limitOf = (value: unknown): number => (typeof value === 'number' ? value : Infinity);

const needsAdmin = (problem: string): AppError =>
  forbidden(`${problem}. This change requires the gateway role admin.`);
