import { awsEncode } from './access/sign-v4.ts';

/**
 * A model name as a path segment. It comes from clients and must not change the path. A name that consists of
 * dots would do so even if encoded, so its dots are encoded twice: no model has such a name.
 */
export const pathSegment = (name: string): string =>
  /^\.{1,2}$/.test(name) ? name.replaceAll('.', '%252E') : awsEncode(name);
