import { isSendableKey, SENDABLE_KEY_RULE, withoutLineEnd } from '../../core/sendable-key.ts';
import { UsageError } from './command.ts';

/** A key as a flag or a variable says it; `source` is which. Shows nothing of one that no header can carry. */
export function givenKey(text: string, source: string): string {
  const key = withoutLineEnd(text);
  if (isSendableKey(key)) return key;
  throw new UsageError(`${source} ${SENDABLE_KEY_RULE}.`);
}
