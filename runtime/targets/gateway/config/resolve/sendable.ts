import { HEADER_VALUE_RULE, headerNameProblem, isHeaderValue } from '#core/text/header-rules.ts';
import { isSendableKey, SENDABLE_KEY_RULE, trimLineEnd } from '../../shared/sendable-key.ts';
import type { Path, ResolveContext } from './context.ts';

/**
 * Reads a key from the file or from `variable`. Reports a key that a header cannot carry; the message never
 * contains the key.
 */
export function sendableKey(
  { report, secrets }: ResolveContext,
  path: Path,
  written: string | undefined,
  variable?: string,
): string | undefined {
  if (written === undefined) return undefined;
  const key = trimLineEnd(written);
  secrets.add(key, ['key']);
  if (!isSendableKey(key)) {
    if (variable === undefined) report(path, SENDABLE_KEY_RULE);
    else report(path, `${variable} ${SENDABLE_KEY_RULE}`, 'key');
  }
  return key;
}

/** Reads headers from the file and reports those that cannot be sent. */
export function sendableHeaders(
  { report, secrets }: ResolveContext,
  path: Path,
  written: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(written).map(([name, text]) => {
      const value = trimLineEnd(text);
      secrets.add(value, [name]);
      const problem = headerNameProblem(name);
      if (problem !== undefined) report([...path, name], problem, 'key');
      else if (!isHeaderValue(value)) report([...path, name], HEADER_VALUE_RULE);
      return [name, value];
    }),
  );
}
