import { inputError } from '#contract/errors.ts';

/** Parses the URL of a hub or an object store. Throws an InputError that names the setting. */
export function endpointOf(text: string, setting: string, example: string): URL {
  const url = URL.parse(text);
  if (url && (url.protocol === 'https:' || url.protocol === 'http:')) return url;
  throw inputError(`${setting} must be a URL that starts with https:// or http://, e.g. ${example}.`);
}
