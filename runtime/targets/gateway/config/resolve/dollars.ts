import { type Nanos, nanosOf } from '../../shared/money.ts';
import { DOLLARS_RULE } from '../schemas/shapes.ts';
import type { Path, ResolveContext } from './context.ts';

/** Parses an amount in dollars; 0 if invalid, which is reported. */
export function dollarsIn({ report }: ResolveContext, path: Path, value: string | number | undefined): Nanos {
  const nanos = nanosOf(String(value ?? ''));
  if (nanos === undefined) report(path, `expected ${DOLLARS_RULE}, found ${JSON.stringify(value)}`);
  return nanos ?? 0n;
}
