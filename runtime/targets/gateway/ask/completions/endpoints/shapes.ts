import { type TSchema, Type } from 'typebox';
import { orNull } from '../../../../../serve/http/schemas.ts';

/** A member that may be left out, or be null. */
export const mayBe = (schema: TSchema, description?: string): TSchema =>
  Type.Optional(orNull(schema, description));

/** An object of which only these members are looked at. */
export const open = (properties: Record<string, TSchema>, options: object = {}): TSchema =>
  Type.Object(properties, { additionalProperties: true, ...options });

/** Names become labels of metrics and rows of the accounts, and whoever has a key may send any. */
const LONGEST_MODEL = 256;

export const modelName = Type.String({
  minLength: 1,
  maxLength: LONGEST_MODEL,
  description: '`<provider>:<model>`, or the name of an alias.',
});

const tokens = Type.Integer({ minimum: 0 });
export const mostTokens = mayBe(tokens, 'The most tokens that the answer may have.');

export const streams = mayBe(Type.Boolean(), 'Whether the answer is to come as server-sent events.');

export const userName = mayBe(
  Type.String(),
  'Who asks. Whoever has the master key has to name it; with another key it is that key’s user or is left out.',
);

/** A text, or parts of which some are. */
export const content = mayBe(
  Type.Union([Type.String(), Type.Array(open({ type: Type.String() }), { title: 'a list of parts' })]),
);

export const guardrailsAsked = mayBe(
  Type.Array(
    open({
      profile: Type.String({ description: 'A guardrail of the configuration.' }),
      mode: Type.Optional(Type.String({ description: '`block` or `monitor`.' })),
      on_unavailable: Type.Optional(Type.String({ description: '`block` or `monitor`.' })),
      on: Type.Optional(Type.Unsafe({ description: '`input`, `output`, or a list of both.' })),
    }),
  ),
  'Checks beside those that the gateway makes of every request. Not passed on.',
);

export const toolsAsked = mayBe(Type.Array(open({})), 'What the model may call.');

/** What both of OpenAI's requests for texts have. */
export const openAiMembers = {
  model: modelName,
  stream: streams,
  tools: toolsAsked,
  user: userName,
  guardrails: guardrailsAsked,
};
