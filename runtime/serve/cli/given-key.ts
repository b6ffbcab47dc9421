import { isSendableKey, SENDABLE_KEY_RULE, withoutLineEnd } from '../../core/sendable-key.ts';
import { UsageError } from './command.ts';

/** Validates a key from a flag or a variable, which `source` names. Error messages never contain the key. */
export function givenKey(text: string, source: string): string {
  const key = withoutLineEnd(text);
  if (isSendableKey(key)) return key;
  throw new UsageError(`${source} ${SENDABLE_KEY_RULE}.`);
}
