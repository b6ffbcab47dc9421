import { resource } from './listed.ts';
import { hint, objectOf, optional } from './members.ts';
import { annotations } from './metadata.ts';
import { Malformed, type Params, refuse, refuseMember, type Shape } from './shape.ts';
import { base64, isRecord, record, text } from './values.ts';

const HINTS = { annotations: hint(annotations), _meta: hint(record) } as const;

const contentsMembers = objectOf({
  uri: text,
  mimeType: hint(text),
  text: optional(text),
  blob: optional(base64),
  _meta: hint(record),
});

/** The contents of a resource: text or binary data. */
export const resourceContents: Shape<Params> = (value) => {
  const contents = contentsMembers(value);
  if (contents['text'] !== undefined || contents['blob'] !== undefined) return contents;
  throw new Malformed('', 'has neither `text` nor `blob`');
};

const media = objectOf({ data: base64, mimeType: text, ...HINTS });

const BLOCKS: ReadonlyMap<unknown, Shape> = new Map<unknown, Shape>([
  ['text', objectOf({ text, ...HINTS })],
  ['image', media],
  ['audio', media],
  ['resource_link', resource],
  ['resource', objectOf({ resource: resourceContents, ...HINTS })],
]);

/** A content block of a tool result or of a prompt message. */
export const contentBlock: Shape = (value) => {
  if (!isRecord(value)) return refuse(value, 'an object');
  const shape = BLOCKS.get(value['type']);
  if (shape) return shape(value);
  const types = [...BLOCKS.keys()].map((type) => JSON.stringify(type));
  return refuseMember('type', value['type'], `one of ${types.join(', ')}`);
};
