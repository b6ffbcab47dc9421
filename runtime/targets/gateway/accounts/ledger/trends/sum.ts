import type { UsageSumRow } from '../../../store/record-schema.ts';
import type { Speeds } from './speeds.ts';

/** A row of the sums while it is computed. */
export type Sum = { -readonly [Name in keyof Omit<UsageSumRow, 'speeds'>]: UsageSumRow[Name] } & {
  readonly speeds: Speeds | undefined;
};
