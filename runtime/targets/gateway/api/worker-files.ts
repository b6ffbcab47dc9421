import { Readable } from 'node:stream';
import type { Context } from 'hono';
import { Type } from 'typebox';
import { inputError } from '#contract/errors.ts';
import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Route } from '#serve/http/route.ts';
import type { GatewayContext } from '../context.ts';
import type { OpenFile } from '../evaluation/jobs/files/open-file.ts';
import { WORKER_PATHS } from '../evaluation/jobs/worker/protocol.ts';
import type { WorkerParts } from './worker-parts.ts';
import { workerFiles } from './worker-schemas.ts';

/** Part of a file. `end` is the position after its last byte. */
interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Parses a Range header (RFC 9110): the requested part of a file of this size, undefined for the whole file,
 * or `unsatisfiable`. As the standard allows, multiple ranges and other units are ignored.
 *
 * @internal Exported for tests.
 */
export function readByteRange(
  header: string | undefined,
  size: number,
): ByteRange | 'unsatisfiable' | undefined {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || first + last === '') return undefined;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return undefined;
  if (start >= size) return 'unsatisfiable';
  return { start, end: last === '' ? size : Math.min(Number(last) + 1, size) };
}

/**
 * Responds with a file, or with the requested part of it, and closes the file. Throws an InputError for a
 * part beyond the end of the file.
 */
async function fileAnswer(c: Context, { handle, bytes, sha256 }: OpenFile): Promise<Response> {
  const range = readByteRange(c.req.header('range'), bytes);
  if (range === 'unsatisfiable') {
    await handle.close();
    throw inputError(`The file has ${bytes} bytes, so it has no range \`${c.req.header('range')}\`.`);
  }
  const { start, end } = range ?? { start: 0, end: bytes };
  const headers = {
    'content-type': 'application/octet-stream',
    'content-length': String(end - start),
    'accept-ranges': 'bytes',
    etag: `"${sha256}"`,
    ...(range && { 'content-range': `bytes ${start}-${end - 1}/${bytes}` }),
  };
  const status = range ? 206 : 200;
  if (c.req.method === 'HEAD' || start === end) {
    await handle.close();
    return c.newResponse(null, status, headers);
  }
  // The stream closes the file, even if the client disconnects.
  const stream = handle.createReadStream({ start, end: end - 1 });
  return c.newResponse(Readable.toWeb(stream) as ReadableStream, status, headers);
}

const SHA256 = '3f79bb7b435b05321651daefd374cdc681dc06faa65e374e38337b88ca046dea';

/** The executables that a job needs on its machine. */
export const workerFileRoutes = (
  { files, queue }: Pick<GatewayContext['jobs'], 'files' | 'queue'>,
  { route, worker, claimOf }: WorkerParts,
): readonly Route[] => [
  route({
    method: 'get',
    path: WORKER_PATHS.files,
    guard: worker,
    tag: 'Workers',
    id: 'workerFiles',
    summary: 'List the executables that the job needs on its machine.',
    answer: answerOf('The worker’s program, and the encoders that have no URL.', workerFiles, {
      files: [
        {
          role: 'encoder',
          name: 'encoder:sentiment',
          path: '/models/sentiment.encoder',
          sha256: SHA256,
          bytes: 98_000_000,
          platform: 'linux-x64',
        },
      ],
    }),
    errors: [422],
    run: async (c) => {
      const { job } = claimOf(c);
      return { files: await files.list(job) };
    },
  }),
  route({
    method: 'get',
    path: `${WORKER_PATHS.files}/:sha256`,
    guard: worker,
    tag: 'Workers',
    id: 'workerFile',
    summary: 'Download an executable, or part of it.',
    description: `A Range header selects a part of the file. A file that was replaced since the job started is rejected with status 409.`,
    parameters: [{ name: 'sha256', description: 'SHA-256 of the file.', example: SHA256 }],
    statuses: [200, 206],
    answer: {
      description: 'The bytes.',
      mediaType: 'application/octet-stream',
      schema: Type.String({ format: 'binary' }),
      examples: {},
    },
    errors: [404, 422],
    run: async (c) => {
      const claim = claimOf(c);
      const file = await files.open(claim.job, c.req.param('sha256'));
      // The job's time limit does not end a download that is making progress.
      await queue.progressed(claim);
      return await fileAnswer(c, file);
    },
  }),
];
