import { Type } from 'typebox';
import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { WORKER_PATHS } from '../../evaluation/jobs/worker/protocol.ts';
import { workerFiles } from './schemas.ts';
import { WORKER_OPERATION } from './worker-operation.ts';

const GET = { ...WORKER_OPERATION, method: 'get' } as const;
const SHA256 = '3f79bb7b435b05321651daefd374cdc681dc06faa65e374e38337b88ca046dea';

/** The executables of a job. */
export const FILE_OPERATIONS: readonly Operation[] = [
  {
    ...GET,
    path: WORKER_PATHS.files,
    id: 'workerFiles',
    summary: 'List the executables that the job needs on its machine.',
    answer: answerOf('The program of the worker, and the encoders that have no URL.', workerFiles, {
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
    errors: [...WORKER_OPERATION.errors, 422],
  },
  {
    ...GET,
    path: `${WORKER_PATHS.files}/{sha256}`,
    id: 'workerFile',
    summary: 'Download an executable, or a part of it.',
    description: `${WORKER_OPERATION.description} A Range header selects a part of the file. A file that was replaced since the job started is refused with status 409.`,
    parameters: [{ name: 'sha256', description: 'SHA-256 of the file.', example: SHA256 }],
    statuses: [200, 206],
    answer: {
      description: 'The bytes.',
      mediaType: 'application/octet-stream',
      schema: Type.String({ format: 'binary' }),
      examples: {},
    },
    errors: [...WORKER_OPERATION.errors, 404, 422],
  },
];
