import { type Static, Type } from 'typebox';
import { durationText } from '#core/time/duration.ts';
import { PROVIDER_LIMITS } from '../../providers/adapters/provider.ts';
import {
  computed,
  countSetting,
  durationSetting,
  flagSetting,
  keys,
  mapOf,
  numberSetting,
  textSetting,
} from './shapes.ts';

const headers = mapOf<string>({ type: 'string' }, 'Headers to send with every request.');

export const timeouts = keys(
  {
    connect: durationSetting(
      'Timeout for establishing the connection.',
      durationText(PROVIDER_LIMITS.connectMs),
    ),
    first_byte: durationSetting(
      'Timeout for the first event of a stream; `answer` applies to its first output.',
      durationText(PROVIDER_LIMITS.firstByteMs),
    ),
    answer: durationSetting(
      'Timeout for the complete response, or for the first output of a stream.',
      durationText(PROVIDER_LIMITS.answerMs),
    ),
    idle: durationSetting('Timeout between two events of a stream.', durationText(PROVIDER_LIMITS.idleMs)),
    stream: durationSetting(
      'Timeout from the first event of a stream to its end.',
      durationText(PROVIDER_LIMITS.streamMs),
    ),
    drain: durationSetting(
      'Maximum time to read the rest of a response for its usage data after the client has disconnected or the time limit has passed.',
      durationText(PROVIDER_LIMITS.drainMs),
    ),
  },
  'Timeouts of provider calls.',
);

const entra = keys(
  {
    tenant_id: textSetting('Tenant.', computed('AZURE_TENANT_ID')),
    client_id: textSetting('Client ID of the application.', computed('AZURE_CLIENT_ID')),
    client_secret: textSetting('Secret of the application.', computed('AZURE_CLIENT_SECRET')),
    authority: textSetting(
      'URL of the server that issues tokens.',
      computed('https://login.microsoftonline.com'),
    ),
    scope: textSetting('Scope of tokens.', computed('https://cognitiveservices.azure.com/.default')),
  },
  'Azure: a Microsoft Entra application to use instead of `api_key`.',
);

export const aws = keys(
  {
    region: textSetting('Region, e.g. us-east-1.', computed('AWS_REGION, AWS_DEFAULT_REGION')),
    access_key_id: textSetting('Access key.', computed('AWS_ACCESS_KEY_ID')),
    secret_access_key: textSetting('Secret of the access key.', computed('AWS_SECRET_ACCESS_KEY')),
    session_token: textSetting('Token of a temporary access key.', computed('AWS_SESSION_TOKEN')),
    profile: textSetting(
      'Profile in the shared files ~/.aws/credentials and ~/.aws/config.',
      computed('AWS_PROFILE, default'),
    ),
  },
  'Amazon Bedrock: region and keys. Default: the same as in AWS tools.',
);

export const google = keys(
  {
    project: textSetting('Project.', computed('GOOGLE_CLOUD_PROJECT')),
    location: textSetting('Location, e.g. europe-west1.', computed('GOOGLE_CLOUD_LOCATION, global')),
    credentials: textSetting(
      'File with the key of a service account, relative to this file.',
      computed(
        'GOOGLE_APPLICATION_CREDENTIALS, the gcloud credentials file, or the machine’s service account',
      ),
    ),
  },
  'Vertex AI: project, location and credentials.',
);

const poolKey = keys(
  {
    api_key: textSetting('API key.'),
    weight: numberSetting(
      'Relative share of the requests. A key with 0 is used only if all others are cooling down or have reached their limits.',
      { minimum: 0 },
      1,
    ),
  },
  'One of the keys.',
);

export const provider = keys(
  {
    type: textSetting(
      'A preset such as openai or mistral, azure, bedrock, vertex, openai-compatible, or encoder.',
      computed('the name of the provider'),
    ),
    provider_type: textSetting('Alias of `type`.'),
    api_key: textSetting(
      'API key. For bedrock, replaces the keys in `aws`.',
      computed('the usual variable of the preset, e.g. OPENAI_API_KEY'),
    ),
    keys: mapOf<Static<typeof poolKey>>(
      poolKey,
      'Several API keys by name, one of which is chosen for each request, instead of `api_key`.',
    ),
    api_base: textSetting('Base URL, with or without the version of the API. Presets have a default.'),
    client_args: Type.Optional(
      keys(
        {
          custom_headers: headers,
          timeout: durationSetting('Default for all `timeouts` except `stream` and `drain`.'),
        },
        'Aliases of `headers` and `timeouts`, for compatibility with other gateways’ files.',
      ),
    ),
    headers,
    local: flagSetting(
      'Allow addresses on this machine or in a private network.',
      computed('true if the host in `api_base` is such an address or localhost'),
    ),
    models: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        description: 'Models, for a provider that cannot list them.',
      }),
    ),
    timeouts: Type.Optional(timeouts),
    max_connections: countSetting(
      'Maximum number of concurrent connections; additional requests wait for a free one.',
      computed('no limit'),
    ),
    max_response_bytes: countSetting(
      'Maximum size in bytes of a response that is not streamed.',
      PROVIDER_LIMITS.maxResponseBytes,
    ),
    dialect: Type.Optional(
      keys(
        {
          max_tokens_field: Type.Optional(
            Type.Unsafe<'max_tokens' | 'max_completion_tokens'>({
              type: 'string',
              enum: ['max_tokens', 'max_completion_tokens'],
              description:
                'Member that limits output tokens. With max_completion_tokens, a request’s max_tokens value is sent as max_completion_tokens.',
            }),
          ),
          stream_usage: flagSetting('Whether the server supports `stream_options.include_usage`.'),
          responses: flagSetting('Whether the server has `/responses`.'),
        },
        "Differences between servers that implement OpenAI's API.",
      ),
    ),
    api_version: textSetting(
      'Azure: API version, e.g. 2024-10-21.',
      computed('the undated API, `/openai/v1`'),
    ),
    deployments: mapOf<string>(
      { type: 'string', minLength: 1 },
      'Azure: deployment name of each model. Default: model names are deployment names.',
    ),
    entra: Type.Optional(entra),
    aws: Type.Optional(aws),
    google: Type.Optional(google),
    priced_as: textSetting(
      'Provider whose published prices apply, e.g. openai, or none.',
      computed('the preset, at its own address'),
    ),
    path: textSetting('For type encoder: the `.encoder` executable to start, relative to this file.'),
  },
  'A provider. Its name is the part of a model name before the colon.',
);

export const encoder = keys(
  {
    path: textSetting('The `.encoder` executable to start, relative to this file.'),
    url: textSetting('URL of a running model executable.'),
    api_key: textSetting('API key for `url`.'),
    headers,
    local: flagSetting(
      'Allow addresses on this machine or in a private network.',
      computed('true if the host in `url` is such an address or localhost'),
    ),
    timeouts: Type.Optional(timeouts),
    max_connections: countSetting(
      'Maximum number of concurrent connections; additional requests wait for a free one.',
      computed('no limit'),
    ),
  },
  'An `.encoder` executable, by path or by URL. Its model name is `encoder:<name>`.',
);

export type ProviderEntry = Static<typeof provider>;
export type EncoderEntry = Static<typeof encoder>;
export type TimeoutsEntry = Static<typeof timeouts>;
