import { durationText } from '#core/time/duration.ts';
import { IDEMPOTENCY_DEFAULTS } from '../../accounts/idempotency/idempotency-settings.ts';
import { countSetting, durationSetting, flagSetting, keys } from './shapes.ts';

export const idempotency = keys(
  {
    enabled: flagSetting('Whether the header `Idempotency-Key` has an effect.', IDEMPOTENCY_DEFAULTS.enabled),
    retention: durationSetting(
      'How long keys and their responses are kept.',
      durationText(IDEMPOTENCY_DEFAULTS.retentionMs),
    ),
    store_responses: flagSetting(
      'Store responses, encrypted with the API key. Otherwise, a repeated request is only rejected.',
      IDEMPOTENCY_DEFAULTS.storeResponses,
    ),
    max_response_bytes: countSetting(
      'Size in bytes above which a response is not stored.',
      IDEMPOTENCY_DEFAULTS.maxResponseBytes,
    ),
    max_stored_bytes: countSetting(
      'Maximum total size in bytes of the stored responses.',
      IDEMPOTENCY_DEFAULTS.maxStoredBytes,
    ),
    max_keys_per_user: countSetting(
      'Maximum number of keys that are kept per user.',
      IDEMPOTENCY_DEFAULTS.maxKeysPerUser,
    ),
  },
  'Requests with an `Idempotency-Key`, which run only once.',
);
