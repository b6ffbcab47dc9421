import { type Static, Type } from 'typebox';
import { durationText } from '#core/time/duration.ts';
import { PROVIDER_LIMITS } from '../../providers/adapters/provider.ts';
import { computed, count, duration, flag, keys, mapOf, text } from './shapes.ts';

const headers = mapOf<string>({ type: 'string' }, 'Headers to send with every request.');

export const timeouts = keys(
  {
    connect: duration('Timeout for establishing the connection.', durationText(PROVIDER_LIMITS.connectMs)),
    first_byte: duration(
      'Timeout for the first event of a stream; `answer` applies to its first output.',
      durationText(PROVIDER_LIMITS.firstByteMs),
    ),
    answer: duration(
      'Timeout for the complete answer, or for the first output of a stream.',
      durationText(PROVIDER_LIMITS.answerMs),
    ),
    idle: duration('Timeout between two events of a stream.', durationText(PROVIDER_LIMITS.idleMs)),
    stream: duration(
      'Timeout from the first event of a stream to its end.',
      durationText(PROVIDER_LIMITS.streamMs),
    ),
    drain: duration(
      'Maximum time to read an answer to its end, for its usage, after its client disconnected or its time limit passed.',
      durationText(PROVIDER_LIMITS.drainMs),
    ),
  },
  'Timeouts of provider calls.',
);

const entra = keys(
  {
    tenant_id: text('Tenant.', computed('AZURE_TENANT_ID')),
    client_id: text('Client id of the application.', computed('AZURE_CLIENT_ID')),
    client_secret: text('Secret of the application.', computed('AZURE_CLIENT_SECRET')),
    authority: text('URL of the server that issues tokens.', computed('https://login.microsoftonline.com')),
    scope: text('Scope of tokens.', computed('https://cognitiveservices.azure.com/.default')),
  },
  'Azure: an application in Microsoft Entra, in place of `api_key`.',
);

export const aws = keys(
  {
    region: text('Region, e.g. us-east-1.', computed('AWS_REGION, AWS_DEFAULT_REGION')),
    access_key_id: text('Access key.', computed('AWS_ACCESS_KEY_ID')),
    secret_access_key: text('Secret of the access key.', computed('AWS_SECRET_ACCESS_KEY')),
    session_token: text('Token of a temporary access key.', computed('AWS_SESSION_TOKEN')),
    profile: text(
      'Profile of the shared files ~/.aws/credentials and ~/.aws/config.',
      computed('AWS_PROFILE, default'),
    ),
  },
  'Amazon Bedrock: region and keys. Default: those that tools of Amazon find.',
);

export const google = keys(
  {
    project: text('Project.', computed('GOOGLE_CLOUD_PROJECT')),
    location: text('Location, e.g. europe-west1.', computed('GOOGLE_CLOUD_LOCATION, global')),
    credentials: text(
      'File with the key of a service account, relative to this file.',
      computed('GOOGLE_APPLICATION_CREDENTIALS, the file of gcloud, the machine'),
    ),
  },
  'Vertex AI: project, location and credentials.',
);

export const provider = keys(
  {
    type: text(
      'A preset such as openai or mistral, azure, bedrock, vertex, openai-compatible, or encoder.',
      computed('the name of the provider'),
    ),
    provider_type: text('Alias of `type`.'),
    api_key: text(
      'API key. For bedrock, in place of keys of `aws`.',
      computed('the usual variable of the preset, e.g. OPENAI_API_KEY'),
    ),
    api_base: text('Base URL, with or without the version of the API. Presets have a default.'),
    client_args: Type.Optional(
      keys(
        {
          custom_headers: headers,
          timeout: duration('Default for all `timeouts` except `stream` and `drain`.'),
        },
        'Aliases of `headers` and `timeouts`, for compatibility with files of other gateways.',
      ),
    ),
    headers,
    local: flag(
      'Allow addresses on this machine or in a private network.',
      computed('true if `api_base` has such an address or localhost'),
    ),
    models: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        description: 'Models, for a provider without a list of models.',
      }),
    ),
    timeouts: Type.Optional(timeouts),
    max_connections: count(
      'Maximum concurrent connections; further requests wait for a free one.',
      computed('no limit'),
    ),
    max_response_bytes: count(
      'Maximum size in bytes of an answer that is not streamed.',
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
                'Member that limits output tokens. With max_completion_tokens, max_tokens of a request is sent under that name.',
            }),
          ),
          stream_usage: flag('Whether the server supports `stream_options.include_usage`.'),
          responses: flag('Whether the server has `/responses`.'),
        },
        "Differences between servers with OpenAI's API.",
      ),
    ),
    api_version: text(
      'Azure: version of the API, e.g. 2024-10-21.',
      computed('the one without dates, `/openai/v1`'),
    ),
    deployments: mapOf<string>(
      { type: 'string', minLength: 1 },
      'Azure: name of the deployment of each model. Default: model names are names of deployments.',
    ),
    entra: Type.Optional(entra),
    aws: Type.Optional(aws),
    google: Type.Optional(google),
    priced_as: text(
      'Provider whose published prices apply, e.g. openai, or none.',
      computed('the preset, at its own address'),
    ),
    path: text('For type encoder: the `.encoder` executable to start, relative to this file.'),
  },
  'A provider. Its name is the part of a model name before the colon.',
);

export const encoder = keys(
  {
    path: text('The `.encoder` executable to start, relative to this file.'),
    url: text('URL of a running model executable.'),
    api_key: text('API key for `url`.'),
    headers,
    local: flag(
      'Allow addresses on this machine or in a private network.',
      computed('true if `url` has such an address or localhost'),
    ),
    timeouts: Type.Optional(timeouts),
    max_connections: count(
      'Maximum concurrent connections; further requests wait for a free one.',
      computed('no limit'),
    ),
  },
  'An `.encoder` executable, by path or by URL. Its model name is `encoder:<name>`.',
);

export type ProviderEntry = Static<typeof provider>;
export type EncoderEntry = Static<typeof encoder>;
export type TimeoutsEntry = Static<typeof timeouts>;
