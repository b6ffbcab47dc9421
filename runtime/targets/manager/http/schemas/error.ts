import { Type } from 'typebox';
import { closed } from '../../../../serve/http/schemas.ts';
import { listOrNull, optionalText, struct } from './struct.ts';

const errorDetail = closed('ErrorDetail', {
  message: optionalText('What is wrong.'),
  location: optionalText(
    'Where, as a path into the request: `body.arguments.city`, `path.tool`, `query.detail`.',
  ),
  value: Type.Optional(Type.Unsafe({ description: 'What was found there.' })),
});

/** https://www.rfc-editor.org/rfc/rfc9457 */
export const errorModel = struct('ErrorModel', {
  type: Type.Optional(
    Type.String({
      format: 'uri',
      default: 'about:blank',
      description: 'Where the kind of error is explained.',
    }),
  ),
  title: optionalText('The kind of error in words; the same each time.'),
  status: Type.Optional(Type.Integer({ format: 'int64', description: 'The HTTP status.' })),
  detail: optionalText('What went wrong this time.'),
  instance: Type.Optional(Type.String({ format: 'uri', description: 'Names this one occurrence.' })),
  errors: Type.Optional(listOrNull(errorDetail, 'Everything that is wrong, one by one.')),
});
