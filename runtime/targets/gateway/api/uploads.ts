import type { Context, MiddlewareHandler } from 'hono';
import { Type } from 'typebox';
import { inputError, AppError, messageOf } from '#contract/errors.ts';
import { rfc3339 } from '#core/time/rfc3339.ts';
import { answerOf, noContent } from '#serve/http/openapi/describe.ts';
import { truncatedBodyError } from '#serve/http/body.ts';
import type { ShellEnv } from '#serve/http/request-state.ts';
import type { Route } from '#serve/http/route.ts';
import { closed, orNull } from '#serve/http/schemas.ts';
import type { GatewayContext } from '../context.ts';
import type { ResumableUpload } from '../evaluation/datasets/resumable/resumable-upload.ts';
import { columnsIn } from './datasets.ts';
import { viewOf } from './guards.ts';
import { count, time } from './http/fields.ts';
import { API, type HttpParts } from './http/parts.ts';

/** Protocol version. @see https://tus.io/protocols/resumable-upload */
const TUS_VERSION = '1.0.0';
const TUS_EXTENSIONS = 'creation,expiration,termination';

/** Parses `Upload-Metadata`: comma-separated pairs of a key and a Base64 value. Throws an InputError. */
function metadataIn(header: string | undefined): ReadonlyMap<string, string> {
  const pairs = (header ?? '').split(',').map((pair) => pair.trim());
  return new Map(
    pairs
      .filter((pair) => pair !== '')
      .map((pair) => {
        const [key = '', value = '', ...more] = pair.split(' ');
        if (more.length > 0 || !/^[A-Za-z\d+/]*={0,2}$/.test(value))
          throw inputError('`Upload-Metadata` must contain pairs of a key and a Base64-encoded value.');
        return [key, Buffer.from(value, 'base64').toString('utf8')] as const;
      }),
  );
}

const ID = '6a1d1f4e-2b2c-4e38-9f25-6f6c4a2d3e11';
const SHARED = { tag: 'Datasets' } as const;
const UPLOAD_ID = { name: 'upload_id', description: 'Upload id.', example: ID };
const OFFSET = {
  name: 'Upload-Offset',
  description: 'Number of stored bytes.',
  type: 'integer',
} as const;
const EXPIRES = {
  name: 'Upload-Expires',
  description: 'Time at which the upload expires.',
  type: 'string',
} as const;

const upload = closed('Upload', {
  id: Type.String(),
  filename: Type.String(),
  size: count('Size of the file in bytes.'),
  offset: count('Number of stored bytes.'),
  dataset_id: orNull(Type.String(), 'ID of the dataset, once all bytes have been received.'),
  expires_at: time('Time at which the upload expires.'),
});

const PATH = `${API}/uploads`;
export const UPLOAD_PATHS = [PATH, `${PATH}/:id`];
const OFFSET_TYPE = 'application/offset+octet-stream';

/**
 * On upload paths, responds to requests with a different protocol version, and to requests for the server's
 * capabilities.
 */
export const uploadProtocol =
  ({ uploads }: Pick<GatewayContext['jobs'], 'uploads'>): MiddlewareHandler<ShellEnv> =>
  async (c, next) => {
    const version = c.req.header('Tus-Resumable');
    c.header('Tus-Resumable', TUS_VERSION);
    // Clients that do not support the protocol can read and delete an upload.
    const canBeMissing = c.req.method === 'GET' || c.req.method === 'DELETE';
    if (c.req.method !== 'OPTIONS' && (version === TUS_VERSION || (canBeMissing && version === undefined)))
      return await next();
    c.header('Tus-Version', TUS_VERSION);
    if (c.req.method !== 'OPTIONS')
      return c.json({ detail: `Unsupported protocol version. Send \`Tus-Resumable: ${TUS_VERSION}\`.` }, 412);
    c.header('Tus-Extension', TUS_EXTENSIONS);
    c.header('Tus-Max-Size', String(uploads.maxBytes));
    return c.body(null, 204);
  };

/** `/api/v1/uploads`: resumable dataset uploads. @see https://tus.io/protocols/resumable-upload */
export function uploadRoutes(
  { jobs: { uploads } }: Pick<GatewayContext, 'jobs'>,
  { guards, route, absoluteUrl }: HttpParts,
): readonly Route[] {
  return [
    route({
      method: 'post',
      path: `${PATH}/`,
      guard: guards.evaluation,
      ...SHARED,
      id: 'createUpload',
      summary: 'Start a resumable upload.',
      description:
        'The protocol is tus 1.0.0 (https://tus.io/protocols/resumable-upload), which many client libraries support. `Upload-Length` is the size; `Upload-Metadata` contains `filename` and optionally `columns`, the new column names as JSON. An upload without progress expires after 24 hours.',
      answer: {
        ...noContent('The upload. `Location` is its URL.'),
        empty: true,
        headers: [{ name: 'Location', description: 'URL of the upload.', type: 'string' }, OFFSET, EXPIRES],
      },
      statuses: [201],
      errors: [400, 413, 422, 429],
      run: async (c) => {
        const size = wholeNumberIn(c, 'Upload-Length');
        const metadata = metadataIn(c.req.header('Upload-Metadata'));
        const filename = metadata.get('filename') ?? metadata.get('name');
        if (filename === undefined || filename === '')
          throw inputError(
            '`Upload-Metadata` has no `filename`. It is required, because its extension determines the format.',
          );
        const columns = columnsIn(metadata.get('columns'));
        const upload = await uploads.create({ filename, size, columns, owner: viewOf(c).owner });
        describe(c, upload);
        c.header('Location', absoluteUrl(c, `${PATH}/${upload.id}`));
        return c.body(null, 201);
      },
    }),
    route({
      method: 'get',
      path: `${PATH}/:id`,
      guard: guards.evaluation,
      ...SHARED,
      id: 'getUpload',
      summary: 'Get the progress of an upload. HEAD returns it in headers.',
      parameters: [UPLOAD_ID],
      answer: {
        ...answerOf('The upload.', upload, {
          id: ID,
          filename: 'reviews.csv',
          size: 48_213,
          offset: 16_384,
          dataset_id: null,
          expires_at: '2026-01-02T00:00:00Z',
        }),
        headers: [OFFSET, EXPIRES],
      },
      run: async (c) => {
        const upload = await uploads.get(viewOf(c).viewer, c.req.param('id'));
        describe(c, upload);
        return {
          id: upload.id,
          filename: upload.filename,
          size: upload.size,
          offset: upload.offset,
          dataset_id: upload.datasetId,
          expires_at: rfc3339(upload.expiresAt),
        };
      },
    }),
    route({
      method: 'patch',
      path: `${PATH}/:id`,
      guard: guards.evaluation,
      ...SHARED,
      id: 'continueUpload',
      summary:
        'Send the next bytes of an upload, starting at `Upload-Offset`. The last bytes create the dataset.',
      parameters: [UPLOAD_ID],
      request: {
        mediaType: 'application/offset+octet-stream',
        schema: Type.String({ format: 'binary' }),
        examples: { bytes: 'examples,ground_truth\n' },
      },
      answer: {
        ...noContent('The bytes are stored.'),
        empty: true,
        headers: [
          OFFSET,
          EXPIRES,
          { name: 'Upload-Dataset', description: 'ID of the dataset, after the last bytes.', type: 'string' },
        ],
      },
      errors: [400, 409, 413, 415, 422],
      run: async (c) => {
        const type = c.req.header('Content-Type')?.split(';')[0]?.trim().toLowerCase();
        if (type !== OFFSET_TYPE) {
          throw new AppError(
            'UnsupportedMediaError',
            `Unsupported content type. Send \`Content-Type: ${OFFSET_TYPE}\`.`,
          );
        }
        const offset = wholeNumberIn(c, 'Upload-Offset');
        const { viewer } = viewOf(c);
        const upload = await uploads.append(viewer, c.req.param('id'), offset, bodyOf(c));
        describe(c, upload);
      },
    }),
    route({
      method: 'delete',
      path: `${PATH}/:id`,
      guard: guards.evaluation,
      ...SHARED,
      id: 'deleteUpload',
      summary: 'Delete an upload. A dataset created from it is kept.',
      parameters: [UPLOAD_ID],
      answer: noContent('The upload is deleted.'),
      run: async (c) => {
        await uploads.delete(viewOf(c).viewer, c.req.param('id'));
      },
    }),
  ];
}

function describe(c: Context<ShellEnv>, { offset, size, expiresAt, datasetId }: ResumableUpload): void {
  c.header('Upload-Offset', String(offset));
  c.header('Upload-Length', String(size));
  if (datasetId === null) c.header('Upload-Expires', new Date(expiresAt).toUTCString());
  else c.header('Upload-Dataset', datasetId);
}

function wholeNumberIn(c: Context, header: string): number {
  const text = c.req.header(header) ?? '';
  const number = Number(text);
  if (/^\d{1,15}$/.test(text) && Number.isSafeInteger(number)) return number;
  throw new AppError(
    'MalformedError',
    `\`${header}\` must be a number of bytes, not ${JSON.stringify(text.slice(0, 100))}.`,
  );
}

async function* bodyOf(c: Context): AsyncGenerator<Uint8Array, void> {
  if (c.req.raw.body === null) return;
  try {
    yield* c.req.raw.body;
  } catch (error) {
    throw truncatedBodyError(messageOf(error));
  }
}
