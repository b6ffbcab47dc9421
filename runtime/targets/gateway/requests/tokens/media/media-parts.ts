import { isObject } from '#core/json/is-object.ts';
import { membersOf } from '#core/json/members-of.ts';
import type { Json } from '../../../providers/shapes/chat.ts';

/** An image, a document or audio in a request of any client API. */
export interface MediaPart {
  readonly kind: 'image' | 'document' | 'audio';
  /** Its data in base64; undefined for a URL or a file of the provider. */
  readonly base64: string | undefined;
  /** Of OpenAI's API: `low`, `high` or `auto`. */
  readonly detail: unknown;
}

/** All parts of a request that models read as something else than text. */
export function mediaIn(body: Json): MediaPart[] {
  const parts: MediaPart[] = [];
  const open: unknown[] = ['messages', 'input', 'system', 'contents'].map((name) => body[name]);
  for (let value = open.pop(); open.length > 0 || value !== undefined; value = open.pop()) {
    if (Array.isArray(value)) {
      // A request can have more messages than a call can have arguments.
      for (const item of value as readonly unknown[]) if (typeof item === 'object') open.push(item);
    } else if (isObject(value)) {
      const part = mediaOf(value);
      if (part) parts.push(part);
      else for (const name in value) if (typeof value[name] === 'object') open.push(value[name]);
    }
  }
  return parts;
}

function mediaOf(part: Json): MediaPart | undefined {
  const inline = membersOf(part['inlineData'] ?? part['inline_data']);
  const mimeType = inline['mimeType'] ?? inline['mime_type'];
  if (typeof mimeType === 'string') return mediaPart(kindOf(mimeType), inline['data']);
  switch (part['type']) {
    case 'image_url':
    case 'input_image': {
      const { image_url: image } = part;
      const { url, detail } = isObject(image) ? image : { url: image, detail: part['detail'] };
      return mediaPart('image', dataOf(url), detail);
    }
    case 'image':
      return mediaPart('image', membersOf(part['source'])['data']);
    case 'document': {
      const source = membersOf(part['source']);
      return source['type'] === 'text' || source['type'] === 'content'
        ? undefined
        : mediaPart('document', source['data']);
    }
    case 'file':
    case 'input_file':
      return mediaPart('document', dataOf(membersOf(part['file'])['file_data'] ?? part['file_data']));
    case 'input_audio':
      return mediaPart('audio', membersOf(part['input_audio'])['data'] ?? part['data']);
    default:
      return undefined;
  }
}

const mediaPart = (kind: MediaPart['kind'], data: unknown, detail?: unknown): MediaPart => ({
  kind,
  base64: typeof data === 'string' ? data : undefined,
  detail,
});

const kindOf = (mimeType: string): MediaPart['kind'] =>
  mimeType.startsWith('image/') ? 'image' : /^(audio|video)\//.test(mimeType) ? 'audio' : 'document';

/** The data of a data URL, or of a text that is data itself. */
function dataOf(text: unknown): string | undefined {
  if (typeof text !== 'string' || /^[a-z]+:\/\//i.test(text.slice(0, 20))) return undefined;
  return text.startsWith('data:') ? text.slice(text.indexOf(',') + 1) : text;
}
