import { type Static, Type } from 'typebox';
import { durationText } from '#core/time/duration.ts';
import { AFFINITY_DEFAULTS, SESSION_SOURCES } from '../../requests/routing/affinity.ts';
import { about, durationSetting, keys, listSetting } from './shapes.ts';

export const affinity = keys(
  {
    sources: Type.Optional(
      Type.Array(
        Type.Unsafe<(typeof SESSION_SOURCES)[number]>({ type: 'string', enum: [...SESSION_SOURCES] }),
        {
          minItems: 1,
          ...about(
            'Where a request states its session; the first one with a value is used: header, prompt_cache_key, conversation, end_user (the client’s own user), user (the user who pays).',
            AFFINITY_DEFAULTS.sources,
          ),
        },
      ),
    ),
    headers: listSetting(
      'Headers that can contain the session; the first one that a request has is used.',
      AFFINITY_DEFAULTS.headers,
    ),
    lifetime: durationSetting(
      'How long providers keep cached prompts after their last use, e.g. 5m or 1h. A session that had to change the key or target keeps the new one for this time.',
      durationText(AFFINITY_DEFAULTS.lifetimeMs),
    ),
  },
  'Sends the requests of a session with the same provider key, and to the same target of an alias, because providers cache prompts.',
);

export type AffinityEntry = Static<typeof affinity>;
