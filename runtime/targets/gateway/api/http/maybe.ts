import { type TSchema, Type } from 'typebox';
import { orNull } from '#serve/http/schemas.ts';

/** A member that can be missing or null, which means the same. */
export const maybe = <Schema extends TSchema>(schema: Schema) => Type.Optional(orNull(schema));
