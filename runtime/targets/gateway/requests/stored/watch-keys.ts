import { AppError } from '#contract/errors.ts';
import type { Logger } from '#serve/log.ts';
import type { Identity } from '../../accounts/identity/identity.ts';
import type { Objects, StoredObject } from '../../accounts/objects/objects.ts';
import { NO_LIMITS } from '../../accounts/ledger/ledger.ts';
import { withoutContent } from '../policy/without-content.ts';
import type { Json } from '../../providers/shapes/chat.ts';
import type { ProviderCalls } from './provider-calls.ts';

interface WatchParts {
  readonly identity: Pick<Identity, 'spender'>;
  readonly objects: Pick<Objects, 'keysOfUnpaid' | 'unpaidOf'>;
  readonly calls: ProviderCalls;
  readonly log: Logger;
  /** Path of an object at its provider. */
  readonly pathOf: (object: StoredObject) => string;
  /** Receives the state that the provider reports after canceling an object. */
  readonly onCancelled: (object: StoredObject, content: Json) => Promise<void>;
}

/**
 * Cancels batches and responses at their providers if their key was deleted, disabled or has expired, or
 * their user or team is blocked.
 */
export async function cancelRevoked(
  { identity, objects, calls, log, pathOf, onCancelled }: WatchParts,
  signal: AbortSignal,
): Promise<void> {
  for (const keyId of await objects.keysOfUnpaid()) {
    const reason = await refusalOf(identity, keyId);
    if (reason === undefined) continue;
    for (const object of await objects.unpaidOf(keyId)) {
      if (signal.aborted) return;
      if (object.content['status'] === 'cancelling') continue;
      const about = { [object.kind]: object.id, reason };
      try {
        const path = `${pathOf(object)}/cancel`;
        const { json } = await calls.call(
          object,
          withoutContent({ method: 'POST', path, signal }, NO_LIMITS),
        );
        log.info(about, 'canceled because its key was revoked');
        await onCancelled(object, json);
      } catch (error) {
        // Either the object has ended by now, or the provider is unavailable; in that case, the next check
        // cancels the object.
        log.warn({ ...about, err: error }, 'not canceled, although its key was revoked');
      }
    }
  }
}

/** Why a key can no longer pay; undefined if it still can. */
async function refusalOf(identity: WatchParts['identity'], keyId: string): Promise<string | undefined> {
  try {
    await identity.spender({ kind: 'work', keyId, userId: '', teamId: null, jobId: '' }, undefined);
    return undefined;
  } catch (thrown) {
    const { code, message } = AppError.from(thrown);
    return FINAL.has(code) ? message : undefined;
  }
}

const FINAL: ReadonlySet<AppError['code']> = new Set([
  'UnauthorizedError',
  'ForbiddenError',
  'NotFoundError',
]);
