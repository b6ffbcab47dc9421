import { AppError } from '#contract/errors.ts';
import { EXPIRY_RULE, parseExpiry } from '#core/time/expiry.ts';
import { admit } from '#serve/http/admit.ts';
import { addKey, revokeKey } from '../../access/edit-keys.ts';
import { readKeyFile } from '../../access/key-file.ts';
import { type KeyRecord, stateOf } from '../../access/key-record.ts';
import { newKey } from '../../access/new-key.ts';
import { parseRate, RATE_RULE } from '../../access/rate.ts';
import { serverName } from '../../config/server-name.ts';
import type { ManagerContext } from '../../context.ts';
import type { Params } from '../../shapes/shape.ts';
import type { ManagerFiles } from '../app-options.ts';
import { requireAdmin, requireEditor } from '../env.ts';
import { type HttpParts, type ManagerRoutes, newRoutes } from '../parts.ts';
import { newKeyRequest } from '../schemas/keys.ts';
import { compact } from '../views/compact.ts';
import { CREATE_KEY, LIST_KEYS, REVOKE_KEY } from './keys-operations.ts';

/** `/api/v1/admin/keys`: the API keys, which are stored as hashes. */
export function keyRoutes(
  { kernel }: ManagerContext,
  { keys: file }: ManagerFiles,
  { answer, readBody }: HttpParts,
): ManagerRoutes {
  const routes = newRoutes();

  routes.get('/api/v1/admin/keys', (c) => {
    requireAdmin(c, 'all');
    const now = Date.now();
    const keys = (readKeyFile(file) ?? []).toReversed().map((record) => keyView(record, now));
    return answer(c, 'ApiKeys', { path: file, keys });
  });
  routes.post('/api/v1/admin/keys', admit(kernel.lifecycle), async (c) => {
    requireEditor(c, 'all');
    const now = Date.now();
    const { name, rate, expires, edit, admin, adminReadOnly, readOnly, ...scopes } = await readBody(
      c,
      newKeyRequest,
    );
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
      created: new Date(now).toISOString(),
      ...(expires ? { expires: checkedExpiry(expires, now) } : {}),
    });
    await asRequest(() => addKey(file, record, now), 'ConflictError');
    return answer(c, 'CreatedApiKey', { key, record: keyView(record, now) });
  });
  routes.delete('/api/v1/admin/keys/:id', admit(kernel.lifecycle), async (c) => {
    requireEditor(c, 'all');
    const now = Date.now();
    const id = c.req.param('id');
    const record = await asRequest(() => revokeKey(file, id, now), 'NotFoundError');
    return answer(c, 'RevokedKey', keyView(record, now));
  });

  return { routes, operations: [LIST_KEYS, CREATE_KEY, REVOKE_KEY] };
}

const keyView = (record: KeyRecord, now: number): Params => {
  const {
    id,
    name,
    servers,
    tools,
    prompts = [],
    resources = [],
    groups = [],
    rate,
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
    ...compact({ rate, expires, revoked }),
  };
};

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

/** The commands report mistakes as errors of the configuration or of the input. */
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
