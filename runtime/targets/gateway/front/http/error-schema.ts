import { Type } from 'typebox';
import { closed, orNull } from '../../../../serve/http/schemas.ts';

export const gatewayError = closed('Error', {
  type: Type.Optional(Type.Literal('error', { description: 'Only on `/v1/messages`.' })),
  detail: Type.String({ description: 'What went wrong, in words.' }),
  error: closed(
    'ErrorDetail',
    {
      message: Type.String({ description: 'The same words.' }),
      type: Type.String({ description: 'The kind of error; on `/v1/messages` as Anthropic’s API calls it.' }),
      code: Type.String({ description: 'A stable word for programs, as `budget_exceeded`.' }),
      param: orNull(Type.String({ description: 'Which part of the request it is about.' })),
    },
    'As clients of OpenAI’s and Anthropic’s APIs read it.',
  ),
});
