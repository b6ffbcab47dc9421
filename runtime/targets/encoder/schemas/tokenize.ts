import { Type } from 'typebox';
import type { Manifest } from '#contract/manifest.ts';
import { optional } from '#serve/http/schemas.ts';
import { NOT_EMPTY, promptMembers, textMember } from './texts.ts';

export const tokenizeRequest = (manifest: Manifest, maxInputs: number) =>
  Type.Object(
    {
      inputs: Type.Union([
        textMember,
        Type.Array(textMember, {
          minItems: 1,
          maxItems: maxInputs,
          title: 'a list of texts',
          ...NOT_EMPTY,
        }),
      ]),
      add_special_tokens: optional(
        Type.Boolean({
          default: true,
          description: 'Whether to add the special tokens that the model expects, such as [CLS].',
        }),
      ),
      ...promptMembers(manifest),
    },
    { $id: 'TokenizeRequest', additionalProperties: false },
  );

const integerOrNull = (description: string) =>
  Type.Unsafe<number | null>({ type: 'integer', nullable: true, description });

export const tokenizeResponse = Type.Array(
  Type.Array(
    Type.Object(
      {
        id: Type.Integer(),
        text: Type.String({ description: 'Token as written in the vocabulary.' }),
        special: Type.Boolean({ description: 'Whether this is a special token that the tokenizer added.' }),
        start: integerOrNull('Start of the token in Unicode code points; null for special tokens.'),
        end: integerOrNull('End of the token in Unicode code points; null for special tokens.'),
      },
      { $id: 'SimpleToken' },
    ),
  ),
  { $id: 'TokenizeResponse', description: 'One list of tokens per input.' },
);

export const decodeRequest = (vocabularySize: number, maxInputs: number) => {
  const ids = Type.Array(Type.Integer({ minimum: 0, maximum: vocabularySize - 1 }), {
    title: 'a list of token ids',
  });
  return Type.Object(
    {
      ids: Type.Union([
        ids,
        Type.Array(ids, { title: 'a list of lists of token ids', minItems: 1, maxItems: maxInputs }),
      ]),
      skip_special_tokens: optional(
        Type.Boolean({ default: true, description: 'Whether to skip special tokens such as [CLS].' }),
      ),
    },
    { $id: 'DecodeRequest', additionalProperties: false },
  );
};

export const decodeResponse = Type.Array(Type.String(), {
  $id: 'DecodeResponse',
  description: 'One text per list of token ids.',
});
