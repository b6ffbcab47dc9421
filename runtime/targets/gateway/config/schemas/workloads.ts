import { type Static, Type } from 'typebox';
import { RULE_KEYWORD } from '#core/yaml/explain-value.ts';
import {
  countSetting,
  dollarsSetting,
  durationSetting,
  keys,
  listSetting,
  mapOf,
  textSetting,
  textsSetting,
} from './shapes.ts';

const rule = keys(
  {
    claims: Type.Unsafe<Readonly<Record<string, unknown>>>({
      type: 'object',
      minProperties: 1,
      description:
        'Patterns for the token’s claims, all of which must match; `*` matches any text, and the letter case counts. Nest them for a claim that is an object.',
      [RULE_KEYWORD]: 'at least one claim with its pattern',
    }),
    user: textSetting(
      'User to bill, created if missing. `{name}` is replaced by a claim, e.g. `ci/{repository}`. It must begin with text.',
    ),
    team: textSetting('Team whose budget, limits and allowed models also apply.'),
    allowed_models: listSetting('Allowed models, e.g. openai:*, or aliases.'),
    rpm: countSetting('Requests per minute.'),
    tpm: countSetting('Tokens per minute.'),
    max_parallel: countSetting('Concurrent requests.'),
    max_budget: Type.Optional(dollarsSetting('Maximum spending of each user per window, in US dollars.')),
    budget_duration: durationSetting('Length of a budget window, e.g. 24h. Default: no resets.'),
  },
  'The user, team and limits of tokens with these claims.',
);

const issuer = keys(
  {
    issuer: Type.String({
      minLength: 1,
      description: 'Issuer of the tokens, e.g. https://token.actions.githubusercontent.com.',
    }),
    audience: textsSetting('Audience of the tokens, which must be specific to this gateway.'),
    jwks_url: textSetting('URL of the issuer’s keys, if its metadata is not available.'),
    jwks_file: textSetting('File with the issuer’s keys, relative to this file.'),
    key_duration: durationSetting('Maximum validity of short-lived keys.', '1h'),
    max_users: countSetting('Maximum number of users that are created for the tokens.', 1000),
    rules: Type.Array(rule, { minItems: 1, description: 'The first rule that matches a token applies.' }),
  },
  'An issuer of tokens for workloads.',
);

export type WorkloadEntry = Static<typeof issuer>;
export type WorkloadRuleEntry = Static<typeof rule>;

export const WORKLOAD_DEFAULTS = {
  keyDuration: issuer.properties.key_duration.default,
  maxUsers: issuer.properties.max_users.default,
};

export const workloads = mapOf<WorkloadEntry>(
  issuer,
  'OpenID Connect issuers whose tokens are accepted as credentials, by name. For CI jobs, pods and other programs.',
);
