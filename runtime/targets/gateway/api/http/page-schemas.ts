import { type TSchema, Type } from 'typebox';
import { closed } from '#serve/http/schemas.ts';
import { count } from './fields.ts';

/** A page of a list, with the total number of items. */
export const pageSchema = <Item extends TSchema>(name: string, item: Item) =>
  closed(name, { total: count('Total number of items.'), items: Type.Array(item) });
