import { parseSpan } from '#core/time/time-span.ts';
import { RETENTION_RULE } from '../schemas/shapes.ts';
import type { Path, ResolveContext } from './context.ts';

const FOREVER = 'forever';

/** Parses a retention to milliseconds; undefined for unlimited. An invalid value is reported. */
export function retentionIn({ report }: ResolveContext, path: Path, text: string): number | undefined {
  if (text === FOREVER) return undefined;
  const milliseconds = parseSpan(text);
  if (milliseconds !== undefined && milliseconds > 0) return milliseconds;
  report(path, `expected ${RETENTION_RULE}, found ${JSON.stringify(text)}`);
  return undefined;
}
