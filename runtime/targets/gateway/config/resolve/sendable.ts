import { HEADER_VALUE_RULE, isHeaderValue, headerNameProblem } from './sendable-header.ts';
import { isSendableKey, SENDABLE_KEY_RULE, trimLineEnd } from '../../shared/sendable-key.ts';
import type { Path, ResolveContext } from './context.ts';

/**
 * A key of the file as it can be sent, or of a variable that stands for it; what no header can carry is reported, without showing
 * it.
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

/** The same for headers. */
export function sendableHeaders(
  { report, secrets }: ResolveContext,
  path: Path,
  written: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(written).map(([name, text]) => {
      const value = trimLineEnd(text);
      secrets.add(value, [name]);
      const trouble = headerNameProblem(name);
      if (trouble !== undefined) report([...path, name], trouble, 'key');
      else if (!isHeaderValue(value)) report([...path, name], HEADER_VALUE_RULE);
      return [name, value];
    }),
  );
}
