import { awsEncode } from './access/sign-v4.ts';

/**
 * A model name as a path segment. Names are chosen by clients and must not change the path. A name that
 * consists of dots would change the path even if the dots were encoded, so they are encoded twice; models
 * with such names do not exist.
 */
export const pathSegment = (name: string): string =>
  /^\.{1,2}$/.test(name) ? name.replaceAll('.', '%252E') : awsEncode(name);
