import { createHash } from 'node:crypto';
import { parseJsonText } from '#core/json/json-text.ts';
import { CALENDAR_UNITS } from '#core/time/calendar.ts';
import { spanText } from '#core/time/time-span.ts';
import { dollarText, type Nanos } from '../../shared/money.ts';

/**
 * A limit that a budget has in addition to its own: another amount, window or both, for all models or for
 * some.
 */
export interface BudgetLimit {
  readonly maxBudget: Nanos;
  /** Length of a window; null for a calendar, or for a limit without resets. */
  readonly budgetDurationSec: number | null;
  readonly calendar: (typeof CALENDAR_UNITS)[number] | null;
  /** Null: UTC. */
  readonly timeZone: string | null;
  /** Patterns of the models, `provider:model`, whose cost counts; null for all models. */
  readonly models: readonly string[] | null;
}

/** A limit in requests. */
export interface LimitBody {
  max_budget: number;
  budget_duration_sec?: number | null;
  calendar?: BudgetLimit['calendar'];
  time_zone?: string | null;
  models?: string[] | null;
}

/** A limit in responses. */
export interface LimitAnswer {
  readonly max_budget: number;
  readonly budget_duration_sec: number | null;
  readonly calendar: BudgetLimit['calendar'];
  readonly time_zone: string | null;
  readonly models: readonly string[] | null;
}

/** Maximum number of limits per budget. Each is an account that requests are charged to. */
export const MAX_LIMITS = 10;
export const MAX_LIMIT_PATTERNS = 50;

/** The limits in a cell; undefined for a budget without any. */
export function limitsIn(cell: string | null): readonly BudgetLimit[] | undefined {
  if (cell === null) return undefined;
  const limits = parseJsonText(cell) as readonly (Omit<BudgetLimit, 'maxBudget'> & {
    readonly maxBudget: string;
  })[];
  return limits.map((limit) => ({ ...limit, maxBudget: BigInt(limit.maxBudget) }));
}

/** The cell for limits. */
export const limitsToText = (limits: readonly BudgetLimit[]): string | null =>
  limits.length === 0
    ? null
    : JSON.stringify(limits.map((limit) => ({ ...limit, maxBudget: String(limit.maxBudget) })));

/**
 * Identifies a limit by its window and models. A change of its amount thus keeps its spending, and a change of
 * its window or models starts another limit.
 */
export const limitId = ({ budgetDurationSec, calendar, timeZone, models }: BudgetLimit): string =>
  createHash('sha256')
    .update(JSON.stringify([budgetDurationSec, calendar, timeZone, models && models.toSorted()]))
    .digest('base64url')
    .slice(0, LIMIT_ID_LENGTH);

export const LIMIT_ID_LENGTH = 22;

/** A limit as text, e.g. `$5.00 per 5h for openai:*`. */
export function limitText({ maxBudget, budgetDurationSec, calendar, timeZone, models }: BudgetLimit): string {
  const [whole = '', fraction = ''] = dollarText(maxBudget).split('.');
  const window =
    calendar !== null
      ? ` per ${calendar} (${timeZone ?? 'UTC'})`
      : budgetDurationSec === null
        ? ''
        : ` per ${spanText(budgetDurationSec * 1000)}`;
  const scope = models === null ? '' : ` for ${models.join(', ')}`;
  return `$${whole}.${fraction.padEnd(2, '0')}${window}${scope}`;
}
