import { Type, type TSchema } from 'typebox';
import type { FormFile } from '../../../shared/form.ts';
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

/** A call without the API and the model, which the endpoint and the routing select. */
export interface ModelCall extends Omit<ProviderCall, 'wire' | 'model' | 'showModel'> {
  readonly files?: readonly FormFile[] | undefined;
}

type ModelAnswer = WholeAnswer | StreamedAnswer | FailedAnswer;

/** The specifics of a route that calls models. */
export interface EndpointRules {
  /** Schema of the members that the gateway reads; all others pass through. */
  readonly schema: TSchema;
  /** The user in the request. */
  user(body: Json, caller: Payer): string | undefined;
  /**
   * The client's own user in the request, for usage tracking only. With the master key, `user` does not count
   * as one.
   */
  endUser(body: Json): string | undefined;
  /**
   * Estimated number of input tokens; `count` counts the tokens of texts and media in a body. Default: the
   * body's count.
   */
  promptTokens?(body: Json, count: (body: Json) => number): number;
  /**
   * Maximum number of output tokens of all requested completions together; `assumed` per completion if the
   * request sets no maximum.
   */
  maxOutputTokens(body: Json, assumed: number, audioSeconds?: number): number;
  /** The name of the file field, for a route whose requests are forms. */
  readonly fileField?: string | undefined;
  /** Whether audio prices apply. */
  readonly isAudio?: boolean | undefined;
  /** Which part of a request is audio; for a file, its approximate length. */
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
 * Maximum length of a model name. Names become metric labels and usage rows, and any client with a key can
 * send any name.
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

/** A text, or a list of parts. */
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

/** Members that requests of both OpenAI APIs have. */
export const openAiMembers = {
  model: modelSchema,
  stream: streams,
  tools: requestTools,
  user: userName,
  guardrails: requestGuardrails,
};
