import { type Static, Type } from 'typebox';
import { count, duration, flag, keys, mapOf, text } from './shapes.ts';

const headers = mapOf<string>({ type: 'string' }, 'Headers that are sent with every request.');

export const timeouts = keys(
  {
    connect: duration('Until the connection stands (10s).'),
    first_byte: duration('Until a stream says its first word (60s).'),
    answer: duration('Until the whole answer, where it is not streamed (10m).'),
    idle: duration('Between two events of a stream (2m).'),
    stream: duration('From the first event of a stream to its end (1h).'),
    drain: duration(
      'Maximum time to read an answer to its end, for its usage, after its client disconnected or its time limit passed (2m).',
    ),
  },
  'How long providers may take.',
);

export const provider = keys(
  {
    type: text(
      'What it speaks: a preset such as openai or mistral, openai-compatible, or encoder. By default what it is called.',
    ),
    provider_type: text('Another name of `type`.'),
    api_key: text('By default the variable that the preset is known for, as OPENAI_API_KEY.'),
    api_base: text('Its address, with the path that all its routes begin with. Presets know theirs.'),
    client_args: Type.Optional(
      keys(
        {
          custom_headers: headers,
          timeout: duration('For every one of `timeouts` that is not set.'),
        },
        'As other gateways call `headers` and `timeouts`.',
      ),
    ),
    headers,
    local: flag(
      'Whether it may be on this machine or in a private network. By default if `api_base` says so with an address or localhost.',
    ),
    models: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), { description: 'Its models, if it has no list of them.' }),
    ),
    timeouts: Type.Optional(timeouts),
    max_connections: count('At once; further requests wait for one to become free. No limit by default.'),
    max_response_bytes: count('Bytes of an answer that is not streamed (64 MiB).'),
    dialect: Type.Optional(
      keys(
        {
          max_tokens_field: Type.Optional(
            Type.Unsafe<'max_tokens' | 'max_completion_tokens'>({
              type: 'string',
              enum: ['max_tokens', 'max_completion_tokens'],
              description:
                'Name of the member that limits the tokens of an answer. With max_completion_tokens, max_tokens of a request is renamed.',
            }),
          ),
          stream_usage: flag('Whether it takes `stream_options.include_usage`.'),
          responses: flag('Whether it has `/responses`.'),
        },
        "What differs between those that speak OpenAI's API.",
      ),
    ),
    path: text('Of type encoder: the `.encoder` executable to start, relative to this file.'),
  },
  'One provider. What it is called is the part of a model string before the colon.',
);

export const encoder = keys(
  {
    path: text('The `.encoder` executable to start, relative to this file.'),
    url: text('The address of one that runs already.'),
    api_key: text('The key that the one at `url` asks for.'),
    headers,
    timeouts: Type.Optional(timeouts),
    max_connections: count('At once; further requests wait for one to become free. No limit by default.'),
  },
  'An `.encoder` executable: by path, or by url. Clients call it `encoder:<name>`.',
);

export type ProviderEntry = Static<typeof provider>;
export type EncoderEntry = Static<typeof encoder>;
export type TimeoutsEntry = Static<typeof timeouts>;
