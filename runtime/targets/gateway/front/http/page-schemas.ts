import { type TSchema, Type } from 'typebox';
import { closed } from '../../../../serve/http/schemas.ts';
import { count } from './fields.ts';

/** A part of a list, with how many there are in all. */
export const pageSchema = <Item extends TSchema>(name: string, item: Item) =>
  closed(name, { total: count('How many there are.'), items: Type.Array(item) });
