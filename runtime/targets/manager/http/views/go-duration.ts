import { trimEndOf } from '#core/text/trim-text.ts';

const MICROSECOND = 1_000;
const MILLISECOND = 1_000_000;
const SECOND = 1_000_000_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Formats nanoseconds like Go: `350.5µs`, `1.234567ms`, `1m0.5s`. https://pkg.go.dev/time#Duration.String */
export function formatGoDuration(nanoseconds: number): string {
  const whole = Math.round(Math.abs(nanoseconds));
  if (whole === 0) return '0s';
  return (nanoseconds < 0 ? '-' : '') + positive(whole);
}

function positive(nanoseconds: number): string {
  if (nanoseconds < MICROSECOND) return `${nanoseconds}ns`;
  if (nanoseconds < MILLISECOND) return `${decimal(nanoseconds, MICROSECOND)}µs`;
  if (nanoseconds < SECOND) return `${decimal(nanoseconds, MILLISECOND)}ms`;
  const hours = Math.floor(nanoseconds / HOUR);
  const minutes = Math.floor((nanoseconds % HOUR) / MINUTE);
  const seconds = `${decimal(nanoseconds % MINUTE, SECOND)}s`;
  if (hours > 0) return `${hours}h${minutes}m${seconds}`;
  return minutes > 0 ? `${minutes}m${seconds}` : seconds;
}

/** Divides by a power of ten exactly; floating-point division would round. */
function decimal(nanoseconds: number, unit: number): string {
  const fraction = String(nanoseconds % unit).padStart(String(unit).length - 1, '0');
  const digits = trimEndOf(fraction, '0');
  const whole = Math.floor(nanoseconds / unit);
  return digits === '' ? String(whole) : `${whole}.${digits}`;
}
