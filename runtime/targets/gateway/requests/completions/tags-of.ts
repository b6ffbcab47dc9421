import { AppError } from '#contract/errors.ts';
import { isObject } from '#core/json/is-object.ts';
import type { HeaderReader } from '../../accounts/identity/identity.ts';
import { isTag, MAX_TAGS, TAG_RULE } from '../../shared/tag.ts';
import type { Json } from '../../providers/shapes/chat.ts';

/** The header with tags, separated by commas. */
const TAGS_HEADER = 'x-gateway-tags';
const MEMBER = 'body.metadata.tags';

/** The tags of a request, and its metadata without them, because providers accept only texts there. */
export interface TaggedRequest {
  readonly tags: readonly string[];
  /** The new value of `metadata`; null removes it. Undefined if it stays as it is. */
  readonly metadata?: Json | null | undefined;
}

/** Reads tags from the header, and from `metadata.tags` if it is a list. Throws an InputError for an invalid tag. */
export function tagsOf(headers: HeaderReader, { metadata }: Json): TaggedRequest {
  const inHeader = (headers.get(TAGS_HEADER) ?? '')
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '');
  const tags = inHeader.map((text) => checked(text, `header.${TAGS_HEADER}`));
  if (!isObject(metadata) || !Array.isArray(metadata['tags'])) return { tags: unique(tags) };
  const { tags: inBody, ...rest } = metadata;
  const all = [...tags, ...(inBody as unknown[]).map((text) => checked(text, MEMBER))];
  return { tags: unique(all), metadata: Object.keys(rest).length === 0 ? null : rest };
}

function checked(text: unknown, location: string): string {
  if (typeof text === 'string' && isTag(text)) return text;
  throw refusal(location, `Invalid tag ${JSON.stringify(text)?.slice(0, 100)}: expected ${TAG_RULE}.`);
}

function unique(tags: readonly string[]): string[] {
  const found = [...new Set(tags)];
  if (found.length <= MAX_TAGS) return found;
  throw refusal(`header.${TAGS_HEADER}`, `The request has ${found.length} tags; the maximum is ${MAX_TAGS}.`);
}

const refusal = (location: string, message: string): AppError =>
  new AppError('InputError', message, { details: [{ location, message }] });
