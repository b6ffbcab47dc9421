import type { Context } from 'hono';
import { AppError, inputError } from '#contract/errors.ts';
import { bodyDecoder } from '#serve/http/decode-body.ts';
import { EXTENSIONS } from '../../evaluation/datasets/extensions.ts';
import type { ColumnMapping } from '../../evaluation/datasets/column-mapping.ts';
import { boundaryOf, readMultipart } from '../../shared/multipart.ts';
import { columnsIn } from './columns.ts';

/** The file that a request uploads. */
export interface UploadedFile {
  readonly filename: string;
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly columns?: ColumnMapping | undefined;
}

/** Streams the uploaded file to `store`. The file is either in a form, as `dataset` with `format`, or the whole body. */
export async function withUpload<Result>(
  c: Context,
  store: (file: UploadedFile) => Promise<Result>,
  discard: (result: Result) => Promise<void>,
): Promise<Result> {
  if (bodyDecoder(c.req.header('Content-Encoding'))) {
    throw new AppError(
      'UnsupportedMediaError',
      'Uploads cannot be compressed. Send the file without Content-Encoding.',
    );
  }
  const type = c.req.header('Content-Type');
  const body = c.req.raw.body ?? emptyBody();
  const boundary = boundaryOf(type);
  if (boundary !== undefined) return await fromForm(readMultipart(body, boundary), store, discard);
  const extension = EXTENSIONS.get(type?.split(';')[0]?.trim().toLowerCase() ?? '');
  if (extension === undefined) throw noFile(type);
  return await store({
    filename: c.req.query('filename') ?? `dataset${extension}`,
    bytes: body,
    columns: columnsIn(c.req.query('columns')),
  });
}

async function fromForm<Result>(
  parts: ReturnType<typeof readMultipart>,
  store: (file: UploadedFile) => Promise<Result>,
  discard: (result: Result) => Promise<void>,
): Promise<Result> {
  let stored: { readonly result: Result } | undefined;
  let columns: ColumnMapping | undefined;
  try {
    for await (const { name, filename, bytes } of parts) {
      if (name === 'dataset' && stored === undefined) {
        if (filename === undefined) throw missing('`dataset` must be a file.');
        stored = { result: await store({ filename, bytes, columns }) };
      } else if (name === 'columns') {
        if (stored) throw missing('`columns` must be in front of `dataset` in the form.');
        columns = columnsIn(await shortText(bytes, MAX_COLUMNS_CHARACTERS));
      } else if (name === 'format') {
        checkFormat(await shortText(bytes));
      } else if (name !== 'run_id') {
        throw missing(
          `Unknown form field ${JSON.stringify(name.slice(0, 100))}. Use \`dataset\`, \`format\` and \`columns\`.`,
        );
      }
    }
  } catch (error) {
    if (stored) await discard(stored.result);
    throw error;
  }
  if (!stored) throw missing('The form has no file `dataset`.');
  return stored.result;
}

/** Maximum length of the mapping of columns. */
const MAX_COLUMNS_CHARACTERS = 100_000;

async function shortText(bytes: AsyncIterable<Uint8Array>, maxCharacters = 100): Promise<string> {
  let text = '';
  for await (const piece of bytes) {
    text += Buffer.from(piece).toString('utf8');
    if (text.length > maxCharacters) break;
  }
  return text;
}

function checkFormat(format: string): void {
  if (format === 'job') return;
  const message = `format must be job, not ${JSON.stringify(format.slice(0, 100))}`;
  throw new AppError('InputError', message, {
    details: [{ location: 'body.format', message, value: format }],
  });
}

const missing = (message: string): AppError =>
  new AppError('InputError', message, { details: [{ location: 'body.dataset', message, rule: 'required' }] });

function noFile(type: string | undefined): AppError {
  if (type === undefined)
    return inputError('The request has no file. Send a form with `dataset` and `format`.');
  return new AppError(
    'UnsupportedMediaError',
    `Unsupported content type ${JSON.stringify(type.slice(0, 100))}. Send a form (multipart/form-data) with \`dataset\` and \`format\`, or a file as ${[...EXTENSIONS.keys()].join(', ')}.`,
  );
}

async function* emptyBody(): AsyncGenerator<Uint8Array, void> {}
