import type { AccountRow } from '../../store/schema.ts';

/** An account without usage, whose window has not begun. */
export const unusedAccount = (id: string): AccountRow => ({
  id,
  spent_nano: 0n,
  reserved_nano: 0n,
  running: 0,
  window_started_at: null,
  window_ends_at: null,
  minute: null,
});
