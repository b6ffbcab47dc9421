import { Type } from 'typebox';
import { closed, orNull } from '#serve/http/schemas.ts';

export const gatewayError = closed('Error', {
  type: Type.Optional(Type.Literal('error', { description: 'Only on `/v1/messages`.' })),
  detail: Type.String({ description: 'Error message.' }),
  error: closed(
    'ErrorDetail',
    {
      message: Type.String({ description: 'Error message, same as `detail`.' }),
      type: Type.String({ description: 'Error type; on `/v1/messages`, that of Anthropic’s API.' }),
      code: Type.String({ description: 'Stable error code, e.g. `budget_exceeded`.' }),
      param: orNull(Type.String({ description: 'The invalid field of the request.' })),
    },
    'The error in the format of OpenAI’s and Anthropic’s APIs.',
  ),
});

/** The body of errors of Gemini's API. */
export const geminiError = closed('GeminiError', {
  detail: Type.String({ description: 'Error message.' }),
  error: closed(
    'GeminiErrorStatus',
    {
      code: Type.Integer({ description: 'HTTP status.' }),
      message: Type.String({ description: 'Error message, same as `detail`.' }),
      status: Type.String({ description: 'Name of the status in Google’s APIs.' }),
      details: Type.Array(
        closed('GeminiErrorInfo', {
          '@type': Type.String(),
          reason: Type.String({ description: 'Stable error code, e.g. `budget_exceeded`.' }),
          domain: Type.String(),
        }),
      ),
    },
    'The error in the format of Google’s APIs.',
  ),
});

/** The body of a 422 on paths below `/api/v1`. */
export const apiProblems = closed('Problems', {
  detail: Type.Array(
    closed('Problem', {
      type: Type.String({ description: 'Kind of the problem.' }),
      loc: Type.Array(Type.Union([Type.String(), Type.Integer()]), {
        description: 'Location in the request, e.g. `["body", "dataset"]`.',
      }),
      msg: Type.String(),
      input: Type.Unknown({ description: 'The invalid value, if it is short.' }),
    }),
  ),
  error: gatewayError.properties.error,
});
