import { type TSchema, Type } from 'typebox';
import { orNull } from '../../../../serve/http/schemas.ts';

/** A member that may be left out or be null, which is the same. */
export const maybe = <Schema extends TSchema>(schema: Schema) => Type.Optional(orNull(schema));
