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
import { isRawNumber } from '#core/json/lossless-json.ts';

/** A call without the API and the model, which the endpoint and routing select. */
export interface ModelCall extends Omit<ProviderCall, 'wire' | 'model' | 'showModel'> {
  readonly files?: readonly FormFile[] | undefined;
}

type ModelAnswer = WholeAnswer | StreamedAnswer | FailedAnswer;

/** The specifics of a route that calls models. */
export interface EndpointRules {
  /** Schema of the members that the gateway reads; all others pass through. */
  readonly schema: TSchema;
  /** The user that the request names. */
  user(body: Json, caller: Payer): string | undefined;
  /** The client's own user that the request names, for usage tracking only. `user` is not one of them with the master key. */
  endUser(body: Json): string | undefined;
  /** Estimated number of input tokens; `count` counts those of texts and media in a body. */
  promptTokens(body: Json, count: (body: Json) => number): number;
  /** Maximum number of output tokens of all requested answers together; `assumed` per answer if the request sets no maximum. */
  maxOutputTokens(body: Json, assumed: number, audioSeconds?: number): number;
  /** The field of a file, for a route whose requests are forms. */
  readonly fileField?: string | undefined;
  /** Whether prices of audio apply. */
  readonly isAudio?: boolean | undefined;
  /** What of a request is audio; a file has about this length. */
  audio?(body: Json, fileSeconds: number): AudioCounts;
  /** Events of its streams that the gateway writes itself; undefined for a route without streams. */
  readonly syntax?: StreamSyntax | undefined;
  /** Names of client headers that are forwarded to a provider with the same API. */
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

/** An object that can have other members too; only these are checked. */
export const openObject = (properties: Record<string, TSchema>, options: object = {}): TSchema =>
  Type.Object(properties, { additionalProperties: true, ...options });

/** Maximum length of a model name. Names become metric labels and usage rows, and any client with a key can send any name. */
const MAX_MODEL_LENGTH = 256;

export const modelSchema = Type.String({
  minLength: 1,
  maxLength: MAX_MODEL_LENGTH,
  description: '`<provider>:<model>`, or the name of an alias.',
});

const tokens = Type.Integer({ minimum: 0 });

export const maxTokens = optionalOrNull(tokens, 'Maximum number of tokens in the answer.');

export const streams = optionalOrNull(Type.Boolean(), 'Return the answer as server-sent events.');

export const userName = optionalOrNull(
  Type.String(),
  'The user to bill. Required with the master key; with another key, omit it or name the user of that key.',
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
  'Guardrails in addition to those that the gateway applies to every request. Not sent to the provider.',
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

/** Maximum output tokens to reserve budget for. No model generates more in one answer. */
const MAX_OUTPUT_TOKENS = 1_000_000;

/** Counts the input tokens of a request that consists of texts, tools and media. */
export const promptTokensIn = (body: Json, count: (body: Json) => number): number => count(body);

/** Names of the limit in the APIs of providers, and of servers that imitate them. */
const LIMITS = [
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
  'maxOutputTokens',
  'max_new_tokens',
  'max_tokens_to_sample',
  'n_predict',
  'num_predict',
];

/**
 * The largest token limit of a request, times the number of requested answers. A request can have several, of which a provider obeys
 * the one whose name it knows: `members` are those of the API of the request.
 */
export function maxOutputTokensIn(body: Json, members: readonly string[], assumed: number): number {
  const own = members.some((name) => limitOf(body[name]) !== undefined) ? 0 : assumed;
  const limit = [...members, ...LIMITS].reduce((most, name) => Math.max(most, limitOf(body[name]) ?? 0), own);
  const answers = typeof body['n'] === 'number' && body['n'] > 1 ? body['n'] : 1;
  return Math.min(MAX_OUTPUT_TOKENS, limit * answers);
}

/** A limit as a number. Google also reads one in quotes, and one that a double cannot hold is larger than any answer. */
export function limitOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'string' && /^\d{1,400}$/.test(value)) return Number(value);
  return isRawNumber(value) ? MAX_OUTPUT_TOKENS : undefined;
}

/** Number of token ids in an input that is a list of ids or of such lists. */
export function idsIn(input: unknown): number {
  if (!Array.isArray(input)) return 0;
  const lists: readonly unknown[] = input;
  const [first] = lists;
  if (typeof first === 'number') return lists.length;
  return lists.reduce<number>((sum, list) => sum + (Array.isArray(list) ? list.length : 0), 0);
}

export const textOrUndefined = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;
