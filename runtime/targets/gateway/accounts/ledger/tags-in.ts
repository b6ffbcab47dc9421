import { parseJsonText } from '#core/json/json-text.ts';
import type { UsageRow } from '../../store/schema.ts';

/** The tags in a usage row. */
export const tagsIn = ({ tags }: Pick<UsageRow, 'tags'>): string[] =>
  tags === null ? [] : (parseJsonText(tags) as string[]);
