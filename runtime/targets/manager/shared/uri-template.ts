import { matchesAny } from '#core/text/name-pattern.ts';

/** Whether a URI can be an expansion of an RFC 6570 template, based on its literal parts only. */
export const matchesUriTemplate = (template: string, uri: string): boolean =>
  matchesAny([template.replaceAll(/\{[^{}]*\}/g, '*')], uri);
