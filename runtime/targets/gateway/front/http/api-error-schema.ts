import { Type } from 'typebox';
import { closed } from '../../../../serve/http/schemas.ts';
import { gatewayError } from './error-schema.ts';

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
