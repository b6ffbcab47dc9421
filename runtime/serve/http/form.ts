import { AppError, inputError } from '#contract/errors.ts';
import { readMultipart } from './multipart.ts';

/** A file in a form, kept in the pieces in which it arrived, so that it is in memory only once. */
export interface FormFile {
  readonly name: string;
  readonly filename: string;
  readonly type: string | undefined;
  readonly pieces: readonly Uint8Array[];
  readonly bytes: number;
}

/** A multipart form. */
export interface Form {
  /** Field values by field name, in form order. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
  readonly files: readonly FormFile[];
}

const MAX_PARTS = 200;
const MAX_FIELD_BYTES = 1_048_576;

/** Reads a complete form. Throws a MalformedError if it is malformed. */
export async function readForm(body: AsyncIterable<Uint8Array>, boundary: string): Promise<Form> {
  const fields = new Map<string, string[]>();
  const files: FormFile[] = [];
  let parts = 0;
  for await (const { name, filename, type, bytes } of readMultipart(body, boundary)) {
    parts += 1;
    if (parts > MAX_PARTS) throw inputError(`The form has more than ${MAX_PARTS} parts. Send fewer.`);
    const pieces: Uint8Array[] = [];
    let length = 0;
    for await (const piece of bytes) {
      length += piece.length;
      if (filename === undefined && length > MAX_FIELD_BYTES)
        throw inputError(`The form field ${shown(name)} is larger than ${MAX_FIELD_BYTES} bytes.`);
      pieces.push(piece);
    }
    if (filename !== undefined) files.push({ name, filename, type, pieces, bytes: length });
    else fields.set(name, [...(fields.get(name) ?? []), Buffer.concat(pieces).toString('utf8')]);
  }
  return { fields, files };
}

/** Serializes a form. Files are not copied. */
export function writeForm({ fields, files }: Form, boundary: string): Uint8Array[] {
  const head = (name: string, more = ''): Buffer =>
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"${more}\r\n\r\n`);
  const end = Buffer.from('\r\n');
  return [
    ...[...fields].flatMap(([name, texts]) => texts.flatMap((text) => [head(name), Buffer.from(text), end])),
    ...files.flatMap(({ name, filename, type, pieces }) => [
      head(
        name,
        `; filename="${quoted(filename)}"\r\nContent-Type: ${(type ?? 'application/octet-stream').replaceAll(/[\r\n]/g, '')}`,
      ),
      ...pieces,
      end,
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ];
}

/** The file with this name. Throws an InputError if it is missing or if the form has other files. */
export function requiredFile({ files }: Form, name: string): FormFile {
  const [file] = files;
  if (file?.name === name && files.length === 1) return file;
  const message = `The form must have exactly one file, in the field \`${name}\`.`;
  throw new AppError('InputError', message, { details: [{ location: `body.${name}`, message }] });
}

/** @see https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#multipart-form-data */
const quoted = (text: string): string =>
  text.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');

const shown = (name: string): string => JSON.stringify(name.slice(0, 100));
