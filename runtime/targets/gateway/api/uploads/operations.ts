import { Type } from 'typebox';
import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { closed, orNull } from '#serve/http/schemas.ts';
import { API } from '../http/parts.ts';
import { count, time } from '../http/fields.ts';
import { KEY_ERRORS, noContent } from '../http/operations.ts';

const ID = '6a1d1f4e-2b2c-4e38-9f25-6f6c4a2d3e11';
const SHARED = { tag: 'Datasets' } as const;
const UPLOAD_ID = { name: 'upload_id', description: 'Upload id.', example: ID };
const OFFSET = {
  name: 'Upload-Offset',
  description: 'Number of bytes that are stored.',
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
  offset: count('Number of bytes that are stored.'),
  dataset_id: orNull(Type.String(), 'Id of the dataset, once all bytes have arrived.'),
  expires_at: time('Time at which the upload expires.'),
});

export const UPLOAD_OPERATIONS: readonly Operation[] = [
  {
    ...SHARED,
    method: 'post',
    path: `${API}/uploads/`,
    id: 'createUpload',
    summary: 'Begin an upload that continues where it stopped.',
    description:
      'The protocol is tus 1.0.0 (https://tus.io/protocols/resumable-upload), for which clients exist. `Upload-Length` is the size; `Upload-Metadata` has `filename` and can have `columns`, the new names of columns as JSON. An upload without progress expires after 24 hours.',
    answer: {
      ...noContent('The upload. `Location` is its URL.'),
      empty: true,
      headers: [{ name: 'Location', description: 'URL of the upload.', type: 'string' }, OFFSET, EXPIRES],
    },
    statuses: [201],
    errors: [400, 413, 422, 429, ...KEY_ERRORS],
  },
  {
    ...SHARED,
    method: 'get',
    path: `${API}/uploads/{upload_id}`,
    id: 'getUpload',
    summary: 'Get how much of an upload has arrived. HEAD returns it in headers.',
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
    errors: KEY_ERRORS,
  },
  {
    ...SHARED,
    method: 'patch',
    path: `${API}/uploads/{upload_id}`,
    id: 'continueUpload',
    summary:
      'Send the next bytes of an upload, from `Upload-Offset` on. With the last ones, the dataset is created.',
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
        { name: 'Upload-Dataset', description: 'Id of the dataset, at the end.', type: 'string' },
      ],
    },
    errors: [400, 409, 413, 415, 422, ...KEY_ERRORS],
  },
  {
    ...SHARED,
    method: 'delete',
    path: `${API}/uploads/{upload_id}`,
    id: 'deleteUpload',
    summary: 'Delete an upload. A dataset that was created of it stays.',
    parameters: [UPLOAD_ID],
    answer: noContent('The upload is deleted.'),
    errors: KEY_ERRORS,
  },
];
