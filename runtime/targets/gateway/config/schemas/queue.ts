import { QUEUE_DEFAULTS } from '../../accounts/ledger/waiting/queue-settings.ts';
import { countSetting, keys } from './shapes.ts';

export const queue = keys(
  {
    max_waiting: countSetting('Maximum number of waiting requests per gateway.', QUEUE_DEFAULTS.maxWaiting),
    max_waiting_per_user: countSetting(
      'Maximum number of waiting requests per user and gateway.',
      QUEUE_DEFAULTS.maxPerUser,
    ),
  },
  'Limits of the queues in which requests of keys with `queue_sec` wait.',
);
