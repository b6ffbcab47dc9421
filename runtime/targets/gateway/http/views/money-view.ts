import { dollarsOf, type Nanos } from '../../../../core/money.ts';

export const dollarsOrNull = (nanos: Nanos | null): number | null =>
  nanos === null ? null : dollarsOf(nanos);
