import { dollarsOf, type Nanos } from '../../shared/money.ts';

export const dollarsOrNull = (nanos: Nanos | null): number | null =>
  nanos === null ? null : dollarsOf(nanos);
