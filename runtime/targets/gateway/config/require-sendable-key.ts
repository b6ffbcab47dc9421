import { isSendableKey, SENDABLE_KEY_RULE, trimLineEnd } from '../shared/sendable-key.ts';
import { UsageError } from '#serve/cli/command.ts';

/** Validates a key from a flag or variable; `source` is its name. Error messages never contain the key. */
export function requireSendableKey(text: string, source: string): string {
  const key = trimLineEnd(text);
  if (isSendableKey(key)) return key;
  throw new UsageError(`${source} ${SENDABLE_KEY_RULE}.`);
}
