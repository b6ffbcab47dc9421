import type { Context } from 'hono';
import { AppError } from '#contract/errors.ts';
import { didYouMean } from '#core/text/suggest.ts';

/** Unknown parameters are refused, because a misspelled filter would be ignored and return wrong results. */
export function refuseUnknownParameters(c: Context, known: readonly string[]): void {
  for (const name of new URL(c.req.url).searchParams.keys()) {
    if (known.includes(name)) continue;
    const shown = name.slice(0, 64);
    const message = `unknown parameter ${JSON.stringify(shown)}${didYouMean(shown, known)}`;
    throw new AppError('InputError', message, { details: [{ location: `query.${shown}`, message }] });
  }
}
