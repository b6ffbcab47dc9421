import { greatest } from '#core/numbers/extremes.ts';
import type { Calendar } from '#core/time/calendar.ts';
import { spanText } from '#core/time/time-span.ts';
import { printJson, printLines } from '#serve/cli/terminal.ts';
import { type formatTable, oneLine } from '#serve/cli/table.ts';
import { type BudgetLimit, limitText } from '../../accounts/fields/budget-limits.ts';
import type { Budgets } from '../../accounts/ledger/ledger.ts';
import { dollarText, type Nanos } from '../../shared/money.ts';
import { listAll } from '../../store/list-all.ts';
import type { UsageRow } from '../../store/schema.ts';
import type { StoreContext } from '../store/store-command.ts';

/** Formats an amount as `$2.50`, with more digits if needed. */
export function formatDollars(nanos: Nanos): string {
  const [whole = '', fraction = ''] = dollarText(nanos).split('.');
  const amount = `$${whole.replace('-', '')}.${fraction.padEnd(2, '0')}`;
  return nanos < 0n ? `-${amount}` : amount;
}

/** Formats a time as `2027-01-31 10:05Z`. */
export const formatTime = (time: number | null): string =>
  time === null ? '-' : `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')}Z`;

/** Formats a time with seconds, as `2027-01-31 10:05:59Z`. */
export const formatSecond = (time: number): string =>
  `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')}Z`;

export const orDash = (value: string | number | null): string => (value === null ? '-' : String(value));

export const modelsText = (models: readonly string[] | null): string =>
  models === null ? 'all' : models.join(', ') || 'none';

/** Formats further limits of a budget. */
export const limitsText = (limits: readonly BudgetLimit[] | null): string =>
  limits === null || limits.length === 0 ? 'none' : limits.map(limitText).join('; ');

/** Formats a budget as `$5.00 per 30d`, followed by its further limits. */
export function budgetText({ limits = null, ...budget }: BudgetAmount): string {
  return [amountText(budget), ...(limits ?? []).map(limitText)].join('; ');
}

function amountText({ maxBudget, budgetDurationSec, calendar }: Omit<BudgetAmount, 'limits'>): string {
  const amount = maxBudget === null ? 'unlimited' : formatDollars(maxBudget);
  if (calendar) return `${amount} per ${calendar.unit} (${calendar.timeZone})`;
  return budgetDurationSec === null ? amount : `${amount} per ${spanText(budgetDurationSec * 1000)}`;
}

interface BudgetAmount {
  readonly maxBudget: Nanos | null;
  readonly budgetDurationSec: number | null;
  readonly calendar?: Calendar | null;
  readonly limits?: readonly BudgetLimit[] | null | undefined;
}

/** Formats the percentages at which alerts are sent. */
export function thresholdsText(thresholds: readonly number[] | null | undefined): string {
  if (!thresholds) return 'default';
  return thresholds.length === 0 ? 'none' : thresholds.map((percent) => `${percent}%`).join(', ');
}

type Cell = Parameters<typeof formatTable>[1][number][number];

/** A request's outcome in a table. */
export function statusCell(row: Pick<UsageRow, 'status' | 'status_code'>): Cell {
  const status = row.status;
  if (status === 'error') return { text: `error ${row.status_code ?? ''}`, style: 'red' };
  if (status === 'success') return { text: status, style: 'green' };
  return { text: status, style: status === 'interrupted' ? 'red' : 'dim' };
}

/** The state of a user or group in a table. */
export const statusOfAccount = ({ blocked }: { readonly blocked: boolean }): Cell =>
  blocked ? { text: 'blocked', style: 'red' } : { text: 'active', style: 'green' };

/** Reads all budgets; returns a function that formats the budget cell of a user or group. */
export async function budgetCells(
  budgets: Budgets,
): Promise<(holder: { readonly budgetId: string | null }) => string> {
  const known = new Map((await listAll(budgets)).map((budget) => [budget.budgetId, budget]));
  return ({ budgetId }) => {
    const budget = known.get(budgetId ?? '');
    return budget === undefined ? '-' : (budget.name ?? budgetText(budget));
  };
}

/** Formats one record, with one line per field. */
export function recordLines(record: Readonly<Record<string, string>>): string[] {
  const width = greatest(Object.keys(record).map((name) => name.length));
  return Object.entries(record).map(([name, text]) => `${name.padEnd(width)}  ${oneLine(text)}`);
}

/** Prints a command's result: as JSON for programs, otherwise as a sentence. */
export function printResult(
  { output, json }: Pick<StoreContext, 'output' | 'json'>,
  data: unknown,
  sentence: string,
): void {
  if (json) printJson(output, data);
  else printLines(output, [sentence]);
}
