import type { AlertPolicy } from '../accounts/ledger/budget-alerts.ts';

/** The configured alerts about budgets. */
export interface AlertsConfig extends AlertPolicy {
  /** Where alerts are sent; undefined if they are only recorded. */
  readonly webhook: Webhook | undefined;
}

export interface Webhook {
  readonly url: string;
  /** `whsec_` and the key as Base64. */
  readonly secret: string;
  /** Whether addresses of this machine and of private networks are allowed. */
  readonly local: boolean;
  readonly timeoutMs: number;
}

export const DEFAULT_THRESHOLDS: readonly number[] = [50, 80, 100];
