import { memberOf } from './member-of.ts';

/** The code of a Node error, such as `ENOENT`; undefined for errors without one. */
export function errorCode(error: unknown): string | undefined {
  const code = memberOf(error, 'code');
  return typeof code === 'string' ? code : undefined;
}
