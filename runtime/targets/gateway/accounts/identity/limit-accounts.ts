import { limitAccount } from '../../store/account-ids.ts';
import { limitId, limitText } from '../fields/budget-limits.ts';
import { NO_RATES } from '../fields/shared-fields.ts';
import type { SharedAccount } from './identity.ts';

/** The accounts of the further limits of an account's budget. */
export function limitAccountsOf({ account, limits, label }: SharedAccount): readonly SharedAccount[] {
  const { budgetLimits = [], alertThresholds } = limits;
  return budgetLimits.map((limit) => {
    const { maxBudget, budgetDurationSec, calendar, timeZone, models } = limit;
    return {
      account: limitAccount(limitId(limit), account),
      limits: {
        ...NO_RATES,
        maxBudget,
        budgetDurationSec,
        budgetCalendar: calendar && { unit: calendar, timeZone: timeZone ?? 'UTC' },
        alertThresholds,
      },
      label: `${label} (limit of ${limitText(limit)})`,
      isFurther: true,
      models: models ?? undefined,
    };
  });
}
