import { parseJsonText } from '#core/json/json-text.ts';
import type { BudgetRow } from '../../store/schema.ts';

/** Percentages of a budget (given its row) at which alerts are sent; null for the configured ones. */
export const thresholdsOf = ({
  alert_thresholds: text,
}: Pick<BudgetRow, 'alert_thresholds'>): number[] | null =>
  text === null ? null : (parseJsonText(text) as number[]);
