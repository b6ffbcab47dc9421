import { Type } from 'typebox';
import { closed } from '#serve/http/schemas.ts';
import { listOrNull, optionalText, struct } from './struct.ts';

const errorDetail = closed('ErrorDetail', {
  message: optionalText('Description of the problem.'),
  location: optionalText(
    'Path into the request, for example `body.arguments.city`, `path.tool` or `query.detail`.',
  ),
  value: Type.Optional(Type.Unsafe({ description: 'The value at the location.' })),
});

/** The body of error responses: https://www.rfc-editor.org/rfc/rfc9457 */
export const errorModel = struct('ErrorModel', {
  type: Type.Optional(
    Type.String({
      format: 'uri',
      default: 'about:blank',
      description: 'URI that identifies the type of the error.',
    }),
  ),
  title: optionalText('Short summary of the type of the error.'),
  status: Type.Optional(Type.Integer({ format: 'int64', description: 'HTTP status code.' })),
  detail: optionalText('Description of this occurrence.'),
  instance: Type.Optional(
    Type.String({ format: 'uri', description: 'URI that identifies this occurrence.' }),
  ),
  errors: Type.Optional(listOrNull(errorDetail, 'Details of each problem.')),
});
