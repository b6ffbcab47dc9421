import { matchesAny } from './name-pattern.ts';

/** Whether a URI may come of an RFC 6570 template: by its fixed parts; what its expressions expand to is not looked at. */
export const couldBecome = (template: string, uri: string): boolean =>
  matchesAny([template.replaceAll(/\{[^}]*\}/g, '*')], uri);
