import { closed } from '#serve/http/schemas.ts';
import { count } from '../http/fields.ts';

export const clearedCache = closed('ClearedCache', {
  deleted: count(
    'Number of answers that were in the database. Those in the memory of gateways are not counted.',
  ),
});
