import { Type } from 'typebox';
import { oneOf } from '../../../../serve/http/schemas.ts';
import { dateTime, listOrNull, optionalText, struct } from './struct.ts';

export const serverHealth = struct(
  'ServerHealth',
  {
    name: Type.String(),
    status: oneOf(['ok', 'timeout', 'unreachable', 'unknown'], {
      description:
        '`ok`: it answered the last check. `timeout`: it did not answer in time. `unreachable`: it is not running, or the check failed. `unknown`: not checked yet, or not started because nobody needs it.',
    }),
    lastChecked: dateTime('When it was last checked.'),
    lastSuccessful: dateTime('When it last answered a check.'),
    latency: optionalText(
      'How long the last check took, as `1.234567ms` or `350.5µs`; only if it was answered.',
    ),
    warnings: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Tools, prompts and resources that are left out because they are malformed, as last listed.',
      }),
    ),
  },
  'The health of one server.',
);

export const serversHealth = struct('ServersHealthResponseBody', {
  servers: listOrNull(serverHealth, 'By name.'),
});
