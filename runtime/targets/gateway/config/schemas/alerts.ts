import { type Static, Type } from 'typebox';
import { DEFAULT_THRESHOLDS } from '../../alerts/alert-message.ts';
import { computed, durationSetting, flagSetting, keys } from './shapes.ts';

export const webhook = keys(
  {
    url: Type.String({ minLength: 1, description: 'URL that gets a POST request for each alert.' }),
    secret: Type.String({
      minLength: 1,
      description: 'Signing key: whsec_ followed by 24 to 64 random bytes in Base64.',
    }),
    local: flagSetting(
      'Allow addresses on this machine or in a private network.',
      computed('true if the host in `url` is such an address or localhost'),
    ),
    timeout: durationSetting('Timeout of a request.', '15s'),
  },
  'Alert receiver that follows Standard Webhooks.',
);

export const alerts = keys(
  {
    thresholds: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1, maximum: 100 }), {
        maxItems: 10,
        description:
          'Percentages of a budget at which alerts are sent, for budgets without their own percentages.',
        default: [...DEFAULT_THRESHOLDS],
      }),
    ),
    webhook: Type.Optional(webhook),
  },
  'Budget alerts. Without a webhook, alerts are only recorded.',
);

export type AlertsEntry = Static<typeof alerts>;
