import { isSendableKey, SENDABLE_KEY_RULE, withoutLineEnd } from '../../../../core/sendable-key.ts';
import { type Invocation, UsageError } from '../../../../serve/cli/command.ts';

/** The key that the command line or the variable says. What sends it would print one that no header can carry. */
export function keyOfClient(invocation: Invocation): string | undefined {
  const given = invocation.value('api-key');
  if (given === undefined) return undefined;
  const key = withoutLineEnd(given);
  if (isSendableKey(key)) return key;
  throw new UsageError(`${invocation.source('api-key')} ${SENDABLE_KEY_RULE}.`);
}
