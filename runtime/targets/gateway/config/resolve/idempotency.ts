import { omitUndefined } from '#core/json/omit-undefined.ts';
import {
  IDEMPOTENCY_DEFAULTS,
  type IdempotencySettings,
} from '../../accounts/idempotency/idempotency-settings.ts';
import type { GatewayFile } from '../schemas/file.ts';
import { type ResolveContext, timeIn } from './context.ts';

export function resolveIdempotency(
  context: ResolveContext,
  { idempotency: entry = {} }: Pick<GatewayFile, 'idempotency'>,
): IdempotencySettings {
  return {
    ...IDEMPOTENCY_DEFAULTS,
    ...omitUndefined({
      enabled: entry.enabled,
      retentionMs: timeIn(context, ['idempotency', 'retention'], entry.retention),
      storeResponses: entry.store_responses,
      maxResponseBytes: entry.max_response_bytes,
      maxStoredBytes: entry.max_stored_bytes,
      maxKeysPerUser: entry.max_keys_per_user,
    }),
  };
}
