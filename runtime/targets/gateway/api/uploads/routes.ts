import type { Context, MiddlewareHandler } from 'hono';
import { AppError, inputError, messageOf } from '#contract/errors.ts';
import { rfc3339 } from '#core/time/rfc3339.ts';
import type { ShellEnv } from '#serve/http/request-id.ts';
import { truncatedBodyError } from '#serve/http/read-bytes.ts';
import type { GatewayContext } from '../../context.ts';
import type { ResumableUpload } from '../../evaluation/datasets/resumable/resumable-upload.ts';
import { API, type GatewayRoutes, type HttpParts, newRoutes } from '../http/parts.ts';
import { columnsIn } from '../datasets/columns.ts';
import { viewOf } from '../sign-in/lab-guard.ts';
import { metadataIn } from './metadata.ts';
import { UPLOAD_OPERATIONS } from './operations.ts';
import { TUS_EXTENSIONS, TUS_VERSION } from './protocol.ts';

const PATH = `${API}/uploads`;
const OFFSET_TYPE = 'application/offset+octet-stream';

/** `/api/v1/uploads`: uploads of datasets that continue where they stopped. @see https://tus.io/protocols/resumable-upload */
export function uploadRoutes(
  { jobs: { uploads } }: Pick<GatewayContext, 'jobs'>,
  { labGuard, absoluteUrl }: Pick<HttpParts, 'labGuard' | 'absoluteUrl'>,
): GatewayRoutes {
  const routes = newRoutes();
  const protocol: MiddlewareHandler<ShellEnv> = async (c, next) => {
    const version = c.req.header('Tus-Resumable');
    c.header('Tus-Resumable', TUS_VERSION);
    // Clients that do not know the protocol can read and delete an upload.
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
  routes.use(PATH, protocol);
  routes.use(`${PATH}/:id`, protocol);
  routes.post(PATH, labGuard, async (c) => {
    const size = wholeNumberIn(c, 'Upload-Length');
    const metadata = metadataIn(c.req.header('Upload-Metadata'));
    const filename = metadata.get('filename') ?? metadata.get('name');
    if (filename === undefined || filename === '')
      throw inputError('`Upload-Metadata` has no `filename`, whose extension is the format.');
    const columns = columnsIn(metadata.get('columns'));
    const upload = await uploads.create({ filename, size, columns, owner: viewOf(c).owner });
    describe(c, upload);
    c.header('Location', absoluteUrl(c, `${PATH}/${upload.id}`));
    return c.body(null, 201);
  });
  routes.get(`${PATH}/:id`, labGuard, async (c) => {
    const upload = await uploads.get(viewOf(c).viewer, c.req.param('id'));
    describe(c, upload);
    return c.json({
      id: upload.id,
      filename: upload.filename,
      size: upload.size,
      offset: upload.offset,
      dataset_id: upload.datasetId,
      expires_at: rfc3339(upload.expiresAt),
    });
  });
  routes.patch(`${PATH}/:id`, labGuard, async (c) => {
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
    return c.body(null, 204);
  });
  routes.delete(`${PATH}/:id`, labGuard, async (c) => {
    await uploads.delete(viewOf(c).viewer, c.req.param('id'));
    return c.body(null, 204);
  });
  return { routes, operations: UPLOAD_OPERATIONS };
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
