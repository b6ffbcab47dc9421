import { randomUUID } from 'node:crypto';
import { isObject } from '#core/json/is-object.ts';
import { isRawNumber } from '#core/json/lossless-json.ts';
import type { ApiBody, FormField } from './plan.ts';
import { encodeText, InvalidArguments, plainText, queryPairs } from './serialize-value.ts';

/** The content of a request body, with its media type. */
export interface EncodedBody {
  readonly content: string | Uint8Array;
  readonly contentType: string;
}

/** Writes a body of the type application/x-www-form-urlencoded. */
export function urlEncodedForm(value: unknown, { mediaType, fields }: ApiBody): EncodedBody {
  const pairs = fieldsOf(value).flatMap(([name, member]) => {
    const field = ownField(fields, name);
    const { style, explode = style === undefined || style === 'form', allowReserved = false } = field ?? {};
    if (style !== undefined) return queryPairs(name, member, { style, explode, allowReserved });
    const items = Array.isArray(member) && field?.contentType === undefined ? member : [member];
    return items.map((item) => [encodeText(name), encodeText(plainText(item))] as const);
  });
  const content = pairs.map(([name, text]) => `${name}=${text}`).join('&');
  return { content, contentType: mediaType };
}

/** Writes a body of the type multipart/form-data. */
export function multipartForm(value: unknown, { fields }: ApiBody): EncodedBody {
  const boundary = randomUUID();
  const parts = fieldsOf(value).flatMap(([name, member]) => {
    const field = ownField(fields, name);
    const items = Array.isArray(member) ? member : [member];
    return items.map((item) => part(name, item, field));
  });
  const content = Buffer.concat([
    ...parts.flatMap(({ head, bytes }) => [Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`), bytes, CRLF]),
    Buffer.from(`--${boundary}--\r\n`),
  ]);
  return { content, contentType: `multipart/form-data; boundary=${boundary}` };
}

const CRLF = Buffer.from('\r\n');

function fieldsOf(value: unknown): [string, unknown][] {
  if (!isObject(value) || isRawNumber(value))
    throw new InvalidArguments('The body of a form must be an object with its fields.');
  return Object.entries(value).filter(([, member]) => member !== undefined && member !== null);
}

const ownField = (fields: Readonly<Record<string, FormField>>, name: string): FormField | undefined =>
  Object.hasOwn(fields, name) ? fields[name] : undefined;

function part(
  name: string,
  value: unknown,
  field: FormField | undefined,
): { head: string; bytes: Uint8Array } {
  const disposition = `content-disposition: form-data; name="${quoted(name)}"`;
  if (field?.isFile === true) {
    const { data, filename, content_type: type } = isObject(value) ? value : { data: value };
    const contentType = typeof type === 'string' ? type : (field.contentType ?? 'application/octet-stream');
    if (!/^[\w.+-]+\/[\w.+-]+(?:; ?[\w-]+=[\w.-]+)?$/.test(contentType))
      throw new InvalidArguments(
        `content_type of ${JSON.stringify(name)} must be a media type such as image/png.`,
      );
    const file = typeof filename === 'string' && filename !== '' ? filename : name;
    return {
      head: `${disposition}; filename="${quoted(file)}"\r\ncontent-type: ${contentType}`,
      bytes: fromBase64(data, name),
    };
  }
  const isStructured = typeof value === 'object' && value !== null && !isRawNumber(value);
  const type = field?.contentType ?? (isStructured ? 'application/json' : undefined);
  const text =
    type !== undefined && /[/+]json$/.test(type) && isStructured ? JSON.stringify(value) : plainText(value);
  return {
    head: type === undefined ? disposition : `${disposition}\r\ncontent-type: ${type}`,
    bytes: Buffer.from(text),
  };
}

/** Escapes a name as browsers do, so that it cannot end its header. */
const quoted = (text: string): string =>
  text.replaceAll(/["\r\n]/g, (character) =>
    character === '"' ? '%22' : character === '\r' ? '%0D' : '%0A',
  );

/** Decodes base64, also with the URL alphabet and line breaks. */
export function fromBase64(value: unknown, name: string): Uint8Array {
  if (typeof value !== 'string')
    throw new InvalidArguments(`${JSON.stringify(name)} must be a text in base64.`);
  const text = value.replaceAll(/[\t\n\f\r ]+/g, '');
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(text))
    throw new InvalidArguments(
      `${JSON.stringify(name)} is not valid base64. Encode the content of the file.`,
    );
  return Buffer.from(text, 'base64');
}
