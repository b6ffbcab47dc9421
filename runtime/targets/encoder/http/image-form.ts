import { inputError } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import type { ExchangeBodyReader, RequestBody } from '#serve/http/body.ts';
import { readForm } from '#serve/http/form.ts';
import { boundaryOf } from '#serve/http/multipart.ts';
import type { TUnsafe } from 'typebox';
import { EXAMPLE_IMAGE } from '../schemas/images.ts';
import type { PredictBody } from '../served/served-type.ts';

/**
 * Reads the body of a request with images: a multipart form with files, whose other fields are the
 * options, the file of one image, or JSON, which `readJson` reads.
 */
export async function readImageBody(
  request: RequestBody,
  schema: TUnsafe<PredictBody>,
  maxBodyBytes: number,
  readBody: ExchangeBodyReader,
  readJson: () => Promise<PredictBody | object>,
): Promise<PredictBody | object> {
  const type = request.headers.get('content-type') ?? '';
  const boundary = boundaryOf(type);
  if (boundary === undefined && !isImageType(type)) return await readJson();
  const bodyBytes = await request.readBody({ maxBodyBytes });
  const { files, options } =
    boundary === undefined ? { files: [bodyBytes], options: {} } : await filesIn(bodyBytes, boundary);
  // The options are validated as in a JSON body, with the smallest image in place of each file.
  const bytes = Buffer.from(JSON.stringify({ ...options, inputs: files.map(() => EXAMPLE_IMAGE) }));
  const valid = await readBody(
    { headers: AS_JSON, readBody: () => Promise.resolve(bytes), hold: request.hold },
    schema,
  );
  return { ...valid, inputs: files };
}

/** The files of a form, and its other fields. */
async function filesIn(
  body: Uint8Array,
  boundary: string,
): Promise<{ readonly files: readonly Uint8Array[]; readonly options: object }> {
  const { fields, files } = await readForm(inOnePiece(body), boundary);
  if (files.length === 0) throw inputError('The form must have at least one file.');
  return {
    files: files.map(({ pieces }) => Buffer.concat(pieces)),
    options: Object.fromEntries([...fields].map(([name, values]) => [name, valueOf(values)])),
  };
}

/** Whether a body is the file of an image. */
export const isImageType = (contentType: string | undefined): boolean => /^image\//i.test(contentType ?? '');

const AS_JSON = { get: () => 'application/json' };

async function* inOnePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}

/** The value of a form field: JSON, such as a number, or a text. */
function valueOf([first = '']: readonly string[]): unknown {
  try {
    return parseJsonText(first);
  } catch {
    return first;
  }
}
