import { Type } from 'typebox';
import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Route } from '#serve/http/route.ts';
import type { GatewayContext } from '../context.ts';
import { type GatewayAppOptions, modelBodyOptions } from './app-options.ts';
import { readUploadForm } from './http/bodies.ts';
import type { HttpParts } from './http/parts.ts';
import {
  STORED_ERRORS,
  storedObject,
  USER_PARAMETER,
  answerBytes,
  jsonBytes,
  namedProvider,
  listOfObjects,
  storedRequest,
} from './stored.ts';

const FILE = { id: 'file-1', object: 'file', bytes: 120, filename: 'requests.jsonl', purpose: 'batch' };
const SHARED = { tag: 'Files', errors: STORED_ERRORS } as const;
const ID = { name: 'id', description: 'File id.', example: FILE.id };
const file = storedObject('The file, as returned by the provider.');

/** `/v1/files`: files stored by a provider. @see https://platform.openai.com/docs/api-reference/files */
export function fileRoutes(
  { stored: { files } }: Pick<GatewayContext, 'stored'>,
  { guards, route }: HttpParts,
  options: GatewayAppOptions,
): readonly Route[] {
  const bodies = modelBodyOptions(options);

  return [
    route({
      method: 'post',
      path: '/v1/files',
      guard: guards.anyKey,
      ...SHARED,
      id: 'uploadFile',
      summary: 'Store a file with a provider, in OpenAI’s Files API format.',
      description:
        'The file belongs to the key’s user. The provider is determined by the header `X-Gateway-Provider`, the field `model` or the models in a batch file. Otherwise, the only provider that stores files is used.',
      request: {
        mediaType: 'multipart/form-data',
        schema: Type.Object({
          file: Type.String({ format: 'binary' }),
          purpose: Type.String({ description: 'For example `batch`.' }),
          model: Type.Optional(Type.String()),
          user: Type.Optional(Type.String()),
        }),
        examples: { form: { file: '{"custom_id":"1"}', purpose: 'batch' } },
      },
      answer: answerOf('The file.', file, FILE),
      errors: [...STORED_ERRORS, 408, 413, 415],
      run: async (c) => {
        const form = await readUploadForm(c, bodies);
        const request = storedRequest(c, form.fields.get('user')?.[0]);
        return jsonBytes(c, await files.upload({ ...request, provider: namedProvider(c) }, form));
      },
    }),
    route({
      method: 'get',
      path: '/v1/files',
      guard: guards.anyKey,
      ...SHARED,
      id: 'listFiles',
      summary: 'List the caller’s files.',
      ...listOfObjects({
        description: 'The files.',
        example: FILE,
        limit: { max: 10_000, fallback: 1000 },
        filters: [
          { name: 'purpose', in: 'query', description: 'Only files with this purpose.', example: 'batch' },
        ],
        list: (request, page) => files.list(request, page),
      }),
    }),
    route({
      method: 'get',
      path: '/v1/files/:id',
      guard: guards.anyKey,
      ...SHARED,
      id: 'getFile',
      summary: 'Get one of the caller’s files.',
      parameters: [ID, USER_PARAMETER],
      answer: answerOf('The file.', file, FILE),
      run: async (c) => jsonBytes(c, await files.get(storedRequest(c), c.req.param('id'))),
    }),
    route({
      method: 'get',
      path: '/v1/files/:id/content',
      guard: guards.programKey,
      ...SHARED,
      id: 'getFileContent',
      summary: 'Get the content of one of the caller’s files, e.g. a batch’s output.',
      description: 'Content that browsers can execute, such as HTML, is sent as `application/octet-stream`.',
      parameters: [ID, USER_PARAMETER],
      answer: {
        description: 'The content.',
        mediaType: 'application/octet-stream',
        schema: Type.String({ format: 'binary' }),
        examples: { content: '{"custom_id":"1"}\n' },
      },
      otherAnswers: [
        { mediaType: 'application/jsonl', schema: Type.String(), examples: { lines: '{"custom_id":"1"}\n' } },
      ],
      run: (c) =>
        answerBytes(c, (signal) => files.content({ ...storedRequest(c), signal }, c.req.param('id'))),
    }),
    route({
      method: 'delete',
      path: '/v1/files/:id',
      guard: guards.anyKey,
      ...SHARED,
      id: 'deleteFile',
      summary: 'Delete one of the caller’s files.',
      description: 'A file cannot be deleted until its batch has been billed.',
      parameters: [ID, USER_PARAMETER],
      answer: answerOf('The deleted file.', file, { id: FILE.id, object: 'file', deleted: true }),
      run: async (c) => jsonBytes(c, await files.delete(storedRequest(c), c.req.param('id'))),
    }),
  ];
}
