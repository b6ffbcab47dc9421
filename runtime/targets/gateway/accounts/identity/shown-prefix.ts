import { tokenOf } from './credentials.ts';
import type { HeaderReader } from './identity.ts';
import { badFormat, SHOWN_PREFIX_LENGTH } from './secret.ts';

/** The prefix of the API key in a request, as lists show it. Undefined for anything else, which can be a mistyped master key. */
export function shownPrefixIn(headers: HeaderReader): string | undefined {
  try {
    const token = tokenOf(headers);
    return badFormat(token) === undefined ? token.slice(0, SHOWN_PREFIX_LENGTH) : undefined;
  } catch {
    return undefined;
  }
}
