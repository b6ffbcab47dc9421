import { type Static, Type } from 'typebox';
import { RULE_KEYWORD } from '#core/yaml/explain-value.ts';
import { FORECAST_OWNERS } from '../../accounts/ledger/budget-alerts.ts';
import { DEFAULT_CERTAINTY, DEFAULT_THRESHOLDS } from '../../alerts/alert-message.ts';
import { about, computed, durationSetting, flagSetting, keys } from './shapes.ts';

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

const forecast = keys(
  {
    certainty: Type.Optional(
      Type.Integer({
        minimum: 50,
        maximum: 99,
        ...about('Required certainty of the forecast, as a percentage.', DEFAULT_CERTAINTY),
        [RULE_KEYWORD]: 'a whole number from 50 to 99',
      }),
    ),
    owners: Type.Optional(
      Type.Array(
        Type.Unsafe<(typeof FORECAST_OWNERS)[number]>({ type: 'string', enum: [...FORECAST_OWNERS] }),
        {
          minItems: 1,
          ...about('Kinds of owners of the budgets.', [...FORECAST_OWNERS]),
        },
      ),
    ),
  },
  'Alerts for budgets that will be exhausted before their window ends. Without this section, there are none.',
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
    forecast: Type.Optional(forecast),
    webhook: Type.Optional(webhook),
  },
  'Budget alerts. Without a webhook, alerts are only recorded.',
);

export type AlertsEntry = Static<typeof alerts>;
