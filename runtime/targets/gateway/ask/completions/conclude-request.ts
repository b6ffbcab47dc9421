import { AppError } from '../../../../contract/errors.ts';
import type { Telemetry } from './telemetry.ts';
import { completionEvent } from './completion-event.ts';
import type { RequestState } from './request-state.ts';
import type { Outcome } from './usage-entries.ts';

/** Writes the rows of a request and reports it once, also if they cannot be written; then it rejects. */
export async function concludeRequest(
  telemetry: Telemetry,
  state: RequestState,
  outcome: Outcome,
  now: number,
  write: () => Promise<void>,
): Promise<void> {
  try {
    await write();
  } catch (error) {
    const told = { ...outcome, error: outcome.error ?? AppError.from(error) };
    telemetry.completed(completionEvent(state, told, now));
    throw error;
  }
  telemetry.completed(completionEvent(state, outcome, now));
}
