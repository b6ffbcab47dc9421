import { Type, type TSchema } from 'typebox';
import type { FormFile } from '#serve/http/form.ts';
import type { Payer } from '../../../accounts/identity/identity.ts';
import type {
  FailedAnswer,
  ProviderCall,
  StreamedAnswer,
  WholeAnswer,
} from '../../../providers/adapters/provider.ts';
import type { Resolved, Routed, RouteOptions, Router } from '../../routing/routing.ts';
import type { AudioCounts } from '../../../shared/price.ts';
import type { Json } from '../../../providers/shapes/chat.ts';
import type { Passed } from '../../../providers/shapes/passed.ts';
import type { StreamSyntax } from '../../../providers/streams/stream.ts';
import { orNull } from '#serve/http/schemas.ts';

/** A call without the API and the model: the endpoint selects the API, and routing selects the model. */
export interface ModelCall extends Omit<ProviderCall, 'wire' | 'model' | 'showModel'> {
  readonly files?: readonly FormFile[] | undefined;
}

type ModelAnswer = WholeAnswer | StreamedAnswer | FailedAnswer;

/** The specifics of a route that calls models. */
export interface EndpointRules {
  /** Schema of the members that the gateway reads; all others pass through. */
  readonly schema: TSchema;
  /** The user specified in the request. */
  user(body: Json, caller: Payer): string | undefined;
  /**
   * The client's own user specified in the request, which is only used for usage tracking. With the master
   * key, the `user` member does not specify the client's own user.
   */
  endUser(body: Json): string | undefined;
  /**
   * Estimated number of input tokens; `count` counts the tokens of texts and media in a body. Default: the
   * body's count.
   */
  promptTokens?(body: Json, count: (body: Json) => number): number;
  /**
   * Maximum total number of output tokens for all requested completions. If the request sets no maximum,
   * `assumed` tokens are counted per completion.
   */
  maxOutputTokens(body: Json, assumed: number, audioSeconds?: number): number;
  /** The name of the file field, for a route whose requests are forms. */
  readonly fileField?: string | undefined;
  /** Whether audio prices apply. */
  readonly isAudio?: boolean | undefined;
  /** The audio in a request; `fileSeconds` is the approximate length of an uploaded file. */
  audio?(body: Json, fileSeconds: number): AudioCounts;
  /** Stream events that the gateway generates itself; undefined for a route without streams. */
  readonly syntax?: StreamSyntax | undefined;
  /** Names of client headers to forward to a provider with the same API. */
  readonly forwardedHeaders: readonly string[];
  call(
    router: Router,
    resolved: Resolved,
    call: Passed<ModelCall>,
    options: RouteOptions,
  ): Promise<Routed<ModelAnswer>>;
}

/** A member that is optional and can be null. */
export const optionalOrNull = (schema: TSchema, description?: string): TSchema =>
  Type.Optional(orNull(schema, description));

/** An object that can have additional members; only these are validated. */
export const openObject = (properties: Record<string, TSchema>, options: object = {}): TSchema =>
  Type.Object(properties, { additionalProperties: true, ...options });

/**
 * Maximum length of a model name. Clients can send any name, and names are stored in metric labels and
 * usage rows.
 */
const MAX_MODEL_LENGTH = 256;

export const modelSchema = Type.String({
  minLength: 1,
  maxLength: MAX_MODEL_LENGTH,
  description: '`<provider>:<model>`, or the name of an alias.',
});

const tokens = Type.Integer({ minimum: 0 });

export const maxTokens = optionalOrNull(tokens, 'Maximum number of output tokens.');

export const streams = optionalOrNull(Type.Boolean(), 'Return the response as server-sent events.');

export const userName = optionalOrNull(
  Type.String(),
  'The user to bill. Required with the master key; with another key, omit it or specify that key’s user.',
);

/** A string, or a list of content parts. */
export const content = optionalOrNull(
  Type.Union([Type.String(), Type.Array(openObject({ type: Type.String() }), { title: 'a list of parts' })]),
);

export const requestGuardrails = optionalOrNull(
  Type.Array(
    openObject({
      profile: Type.String({ description: 'Name of a configured guardrail.' }),
      mode: Type.Optional(Type.String({ description: '`block` or `monitor`.' })),
      on_unavailable: Type.Optional(Type.String({ description: '`block` or `monitor`.' })),
      on: Type.Optional(Type.Unsafe({ description: '`input`, `output`, or a list of both.' })),
    }),
  ),
  'Guardrails in addition to the gateway’s default ones. Not sent to the provider.',
);

export const requestTools = optionalOrNull(Type.Array(openObject({})), 'Tools that the model can call.');

/** Members that requests to both the Chat Completions API and the Responses API have. */
export const openAiMembers = {
  model: modelSchema,
  stream: streams,
  tools: requestTools,
  user: userName,
  guardrails: requestGuardrails,
};
