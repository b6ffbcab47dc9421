import type { IncomingHttpHeaders } from 'node:http';

/** Milliseconds per unit of `grpc-timeout`. */
const UNITS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 1e-3, n: 1e-6 };

/** Node's timers hold 31 bits of milliseconds (24 days); longer timers fire immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Removes deadlines that exceed the range of timers. Clients send them to mean "no deadline": a century, or the largest number
 * of their language.
 */
export function dropDistantDeadline(headers: IncomingHttpHeaders): void {
  const [, amount, unit] = /^(\d+)([HMSmun])$/.exec(String(headers['grpc-timeout'])) ?? [];
  if (Number(amount) * (UNITS[unit ?? ''] ?? 0) > MAX_TIMER_MS) delete headers['grpc-timeout'];
  if (Number(headers['connect-timeout-ms']) > MAX_TIMER_MS) delete headers['connect-timeout-ms'];
}
