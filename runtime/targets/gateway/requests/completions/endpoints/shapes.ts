import { type TSchema, Type } from 'typebox';
import { orNull } from '#serve/http/schemas.ts';

/** A member that is optional and can be null. */
export const optionalOrNull = (schema: TSchema, description?: string): TSchema =>
  Type.Optional(orNull(schema, description));

/** An object that can have other members too; only these are checked. */
export const openObject = (properties: Record<string, TSchema>, options: object = {}): TSchema =>
  Type.Object(properties, { additionalProperties: true, ...options });

/** Maximum length of a model name. Names become metric labels and usage rows, and any client with a key can send any name. */
const MAX_MODEL_LENGTH = 256;

export const modelName = Type.String({
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
  model: modelName,
  stream: streams,
  tools: requestTools,
  user: userName,
  guardrails: requestGuardrails,
};
