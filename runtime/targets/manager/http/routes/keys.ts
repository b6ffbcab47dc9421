import { AppError } from '#contract/errors.ts';
import { EXPIRY_RULE, parseExpiry } from '#core/time/expiry.ts';
import { newKey } from '../../access/new-key.ts';
import { addKey, revokeKey, readKeyFile, type KeyRecord, stateOf } from '../../access/key-file.ts';
import { isResultLimit, RESULT_LIMIT_RULE } from '../../long-results/result-limits.ts';
import { parseRate, RATE_RULE } from '../../access/token-bucket.ts';
import { serverName } from '../../config/server-name.ts';
import type { ManagerFiles } from '../app-options.ts';
import type { Route } from '#serve/http/route.ts';
import type { ManagerHttpParts } from '../parts.ts';
import { compact } from '../views/compact.ts';
import { answerOf } from '#serve/http/openapi/describe.ts';
import { createdKeyBody, keysBody, newKeyRequest, revokedKeyBody } from '../schemas/keys.ts';

/** `/api/v1/admin/keys`: the API keys, of which only hashes are stored. */
export function clientKeyRoutes(
  { keys: file }: ManagerFiles,
  { guards, route }: ManagerHttpParts,
): readonly Route[] {
  return [
    route({
      method: 'get',
      path: '/api/v1/admin/keys',
      guard: guards.admin('all'),
      id: 'listKeys',
      tag: 'Keys',
      summary: 'List the API keys and their permissions.',
      answer: answerOf('The keys, newest first.', keysBody, {
        path: '/etc/mcp/keys.jsonl',
        keys: [RECORD],
      }),
      run: () => {
        const now = Date.now();
        const keys = (readKeyFile(file) ?? []).toReversed().map((record) => keyView(record, now));
        return { path: file, keys };
      },
    }),
    route({
      method: 'post',
      path: '/api/v1/admin/keys',
      guard: guards.editor('all'),
      id: 'createKey',
      tag: 'Keys',
      summary: 'Create an API key.',
      request: {
        schema: newKeyRequest,
        examples: { key: { name: 'laptop', servers: ['time'], rate: '100/m' } },
      },
      answer: answerOf('The key, which is only returned in this response.', createdKeyBody, {
        key: 'mcpm_0EXAMPLE0EXAMPLE0EXAMPLE0EXAMPLE0EXAMPLE0EX',
        record: RECORD,
      }),
      errors: [409],
      run: async (_c, body) => {
        const now = Date.now();
        const { name, rate, resultLimit, mcpMode, expires, edit, admin, adminReadOnly, readOnly, ...scopes } =
          body;
        const { servers, tools, prompts, resources, groups } = scopes;
        if (name.trim() === '') throw new AppError('InputError', 'name must not be blank.');
        const { key, record } = newKey({
          name: name.trim(),
          servers: servers ?? [],
          tools: tools ?? [],
          ...(prompts?.length ? { prompts } : {}),
          ...(resources?.length ? { resources } : {}),
          ...(groups?.length ? { groups: groups.map(serverName) } : {}),
          readOnly: readOnly ?? false,
          admin: admin === true || adminReadOnly === true || edit === true,
          ...(adminReadOnly === true ? { adminReadOnly } : {}),
          ...(edit === true ? { edit } : {}),
          ...(rate ? { rate: checkedRate(rate) } : {}),
          ...(resultLimit === undefined ? {} : { resultLimit: checkedLimit(resultLimit) }),
          ...compact({ mcpMode }),
          created: new Date(now).toISOString(),
          ...(expires ? { expires: checkedExpiry(expires, now) } : {}),
        });
        await asRequest(() => addKey(file, record, now), 'ConflictError');
        return { key, record: keyView(record, now) };
      },
    }),
    route({
      method: 'delete',
      path: '/api/v1/admin/keys/:id',
      guard: guards.editor('all'),
      id: 'revokeKey',
      tag: 'Keys',
      summary: 'Revoke an API key.',
      description: 'The key is rejected within a second.',
      parameters: [{ name: 'id', description: 'ID or name of the key.', example: '1a2b3c4d' }],
      answer: answerOf('The revoked key.', revokedKeyBody, {
        ...RECORD,
        state: 'revoked',
        revoked: '2026-02-01T08:00:00.000Z',
      }),
      errors: [404],
      run: async (c) => {
        const now = Date.now();
        const id = c.req.param('id');
        const record = await asRequest(() => revokeKey(file, id, now), 'NotFoundError');
        return keyView(record, now);
      },
    }),
  ];
}

const keyView = (record: KeyRecord, now: number) => {
  const {
    id,
    name,
    servers,
    tools,
    prompts = [],
    resources = [],
    groups = [],
    rate,
    resultLimit,
    mcpMode,
    expires,
    revoked,
  } = record;
  return {
    id,
    name,
    state: stateOf(record, now),
    servers,
    tools,
    prompts,
    resources,
    groups,
    readOnly: record.readOnly,
    admin: record.admin,
    adminReadOnly: record.adminReadOnly ?? false,
    edit: record.edit ?? false,
    created: record.created,
    ...compact({ rate, resultLimit, mcpMode, expires, revoked }),
  };
};

function checkedLimit(limit: number): number {
  if (isResultLimit(limit)) return limit;
  throw new AppError('InputError', `resultLimit: ${limit} is not ${RESULT_LIMIT_RULE}.`);
}

function checkedRate(text: string): string {
  if (parseRate(text)) return text.replaceAll(' ', '');
  throw new AppError('InputError', `rate: ${JSON.stringify(text)} is not ${RATE_RULE}.`);
}

function checkedExpiry(text: string, now: number): string {
  const time = parseExpiry(text, now);
  if (time === undefined) {
    throw new AppError('InputError', `expires: ${JSON.stringify(text)} is not ${EXPIRY_RULE}.`);
  }
  if (time <= now) throw new AppError('InputError', `expires: ${JSON.stringify(text)} is in the past.`);
  return new Date(time).toISOString();
}

/** The commands report mistakes as configuration or input errors. */
async function asRequest<Result>(
  work: () => Promise<Result>,
  code: 'ConflictError' | 'NotFoundError',
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const known = AppError.from(error);
    if (known.code !== 'ConfigError' && known.code !== 'InputError') throw error;
    throw new AppError(code, known.message, { cause: error });
  }
}

const RECORD = {
  id: '1a2b3c4d',
  name: 'laptop',
  state: 'active',
  servers: ['time'],
  tools: [],
  prompts: [],
  resources: [],
  groups: [],
  readOnly: false,
  admin: false,
  adminReadOnly: false,
  edit: false,
  created: '2026-01-31T12:00:00.000Z',
  rate: '100/m',
};
