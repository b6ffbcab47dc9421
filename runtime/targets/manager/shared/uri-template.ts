import { matchesAny } from '#core/text/name-pattern.ts';

/** Whether a URI can result from an RFC 6570 template, judged by its literal parts only. */
export const matchesUriTemplate = (template: string, uri: string): boolean =>
  matchesAny([template.replaceAll(/\{[^{}]*\}/g, '*')], uri);
