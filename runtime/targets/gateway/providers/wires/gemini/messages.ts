import { isObject } from '#core/json/is-object.ts';
import type { ChatMessage, ContentPart, Json, ToolCall } from '../../shapes/chat.ts';
import { refuse } from '../refuse.ts';
import { isAbsent, objectAt, textAt } from '../request-members.ts';
import { FOREIGN_SIGNATURE, withSignature } from '../thought-signatures.ts';
import { memberIn, objectsIn } from './read-members.ts';

/** The messages of Gemini's `contents`. Calls have no ids there, so each result gets the id of the next call of its function. */
export function messagesOf(contents: readonly Json[]): ChatMessage[] {
  const open: ToolCall[] = [];
  let calls = 0;

  const callOf = (part: Json, place: string): ToolCall => {
    const called = objectAt(memberIn(part, 'functionCall'), `${place}.functionCall`);
    const { id, args } = called;
    const name = textAt(called['name'], `${place}.functionCall.name`);
    calls += 1;
    const signature = ownSignature(part);
    const call: ToolCall = {
      id: typeof id === 'string' && id !== '' ? id : `call_${calls}`,
      type: 'function',
      function: { name, arguments: JSON.stringify(args ?? {}) },
      ...withSignature(signature),
    };
    open.push(call);
    return call;
  };
  const resultOf = (part: Json, place: string): ChatMessage => {
    const result = objectAt(memberIn(part, 'functionResponse'), `${place}.functionResponse`);
    const name = textAt(result['name'], `${place}.functionResponse.name`);
    const at = open.findIndex((call) =>
      isAbsent(result['id']) ? call.function.name === name : call.id === result['id'],
    );
    const [call] = at === -1 ? [] : open.splice(at, 1);
    const response = result['response'];
    return { role: 'tool', tool_call_id: call?.id ?? name, name, ...contentOfResult(response) };
  };

  return contents.flatMap((content, nth) => {
    const place = `contents[${nth}]`;
    const parts = objectsIn(content, 'parts', `${place}.`);
    const of = (name: string): readonly (readonly [Json, string])[] =>
      parts.flatMap((part, at) =>
        isAbsent(memberIn(part, name)) ? [] : [[part, `${place}.parts[${at}]`] as const],
      );
    if (content['role'] === 'model') {
      const called = of('functionCall').map(([part, at]) => callOf(part, at));
      const text = parts
        .map(({ text: said, thought }) => (typeof said === 'string' && thought !== true ? said : ''))
        .join('');
      return [
        {
          role: 'assistant',
          content: text === '' && called.length > 0 ? null : text,
          ...(called.length > 0 && { tool_calls: called }),
          ...withSignature(
            parts
              .filter((part) => isAbsent(memberIn(part, 'functionCall')))
              .map(ownSignature)
              .findLast(Boolean),
          ),
        },
      ];
    }
    const results = of('functionResponse').map(([part, at]) => resultOf(part, at));
    const rest = parts.filter((part) => isAbsent(memberIn(part, 'functionResponse')));
    const shown = rest.map((part, at) => partOf(part, `${place}.parts[${at}]`));
    return [...results, ...(shown.length > 0 ? [{ role: 'user', content: simplified(shown) }] : [])];
  });
}

/** The signature of a part; undefined for one that stands for a missing one. */
function ownSignature(part: Json): string | undefined {
  const signature = memberIn(part, 'thoughtSignature');
  return typeof signature === 'string' && signature !== FOREIGN_SIGNATURE ? signature : undefined;
}

/** A function returns an object. Its text is under the names that Google documents for it. */
function contentOfResult(response: unknown): Pick<ChatMessage, 'content' | 'is_error'> {
  if (!isObject(response)) return { content: JSON.stringify(response ?? {}) };
  const { error, output = response['result'] } = response;
  if (error !== undefined && Object.keys(response).length === 1)
    return { content: typeof error === 'string' ? error : JSON.stringify(error), is_error: true };
  const isText = typeof output === 'string' && Object.keys(response).length === 1;
  return { content: isText ? output : JSON.stringify(response) };
}

/** One text instead of a list of parts, because not every provider supports parts. */
const simplified = (parts: readonly ContentPart[]): string | readonly ContentPart[] =>
  parts.every(({ type }) => type === 'text') ? parts.map(({ text }) => text ?? '').join('') : parts;

function partOf(part: Json, place: string): ContentPart {
  const { text } = part;
  if (!isAbsent(text)) return { type: 'text', text: textAt(text, `${place}.text`) };
  const inline = memberIn(part, 'inlineData');
  const file = memberIn(part, 'fileData');
  const source = objectAt(inline ?? file ?? {}, place);
  const mediaType = memberIn(source, 'mimeType');
  if (!isAbsent(inline)) {
    const data = `data:${String(mediaType)};base64,${textAt(source['data'], `${place}.inlineData.data`)}`;
    return mediaPart(String(mediaType), data, source);
  }
  if (!isAbsent(file))
    return mediaPart(
      String(mediaType),
      textAt(memberIn(source, 'fileUri'), `${place}.fileData.fileUri`),
      source,
    );
  throw refuse(`parts with \`${Object.keys(part)[0] ?? 'nothing'}\``);
}

function mediaPart(mediaType: string, url: string, source: Json): ContentPart {
  if (mediaType.startsWith('image/')) return { type: 'image_url', image_url: { url } };
  if (mediaType === 'application/pdf') {
    const name = memberIn(source, 'displayName');
    return {
      type: 'file',
      file: { file_data: url, filename: typeof name === 'string' ? name : 'document.pdf' },
    };
  }
  throw refuse(`content of type \`${mediaType}\``);
}
