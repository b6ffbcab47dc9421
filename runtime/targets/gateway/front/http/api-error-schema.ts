import { Type } from 'typebox';
import { closed } from '../../../../serve/http/schemas.ts';
import { gatewayError } from './error-schema.ts';

export const apiProblems = closed('Problems', {
  detail: Type.Array(
    closed('Problem', {
      type: Type.String({ description: 'Which kind of rule is broken.' }),
      loc: Type.Array(Type.Union([Type.String(), Type.Integer()]), {
        description: 'Where in the request, as `["body", "dataset"]`.',
      }),
      msg: Type.String(),
      input: Type.Unknown({ description: 'What is there, if it is short.' }),
    }),
  ),
  error: gatewayError.properties.error,
});
