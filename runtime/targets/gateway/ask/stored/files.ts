import { randomBytes } from 'node:crypto';
import { AppError } from '../../../../contract/errors.ts';
import { parseJsonText } from '../../../../core/json/json-text.ts';
import type { Clock } from '../../../../platform/clock.ts';
import { type Form, type FormFile, requiredFile, writeForm } from '../../shared/form.ts';
import type { GatewayState } from '../../gateway-state.ts';
import type { WorkPlan } from '../../accounts/objects/objects.ts';
import type { ModelSet } from '../models/model-set.ts';
import { isFailed } from '../providers/failure.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import { linesIn } from './batch-lines.ts';
import { planBatch } from './plan-batch.ts';
import type { ProviderCalls } from './provider-calls.ts';
import type { Settler } from './settler.ts';
import type { Files, NewStoredRequest } from './stored.ts';
import { type StoringProvider, storingProvider, targetsOf } from './storing-provider.ts';
import { keyIdOf, viewerOf } from './viewer.ts';

export interface FilesParts {
  readonly state: Pick<GatewayState, 'identity' | 'objects'>;
  readonly calls: ProviderCalls;
  readonly settler: Settler;
  readonly tokenCounter: TokenCounter;
  readonly clock: Clock;
}

/** Fields that are for the gateway, or for LiteLLM, and not for the provider. */
const OWN_FIELDS = new Set(['user', 'model', 'provider', 'custom_llm_provider', 'target_model_names']);

export function createFiles({ state, calls, settler, tokenCounter, clock }: FilesParts): Files {
  const { objects, identity } = state;

  /** The file for the provider, and for a batch what it will cost. */
  const prepare = async (
    { router, assumedOutputTokens }: ModelSet,
    { caller, provider: named }: NewStoredRequest,
    form: Form,
    file: FormFile,
    userId: string,
  ): Promise<{ provider: StoringProvider; sent: FormFile; plan?: WorkPlan }> => {
    const field = (name: string): string | undefined => form.fields.get(name)?.[0] || undefined;
    const isBatch = field('purpose') === 'batch';
    const model =
      field('model') ??
      field('target_model_names')?.split(',')[0] ??
      (isBatch ? firstModel(file) : undefined);
    const provider = storingProvider(router, {
      caller,
      named: named ?? field('custom_llm_provider') ?? field('provider'),
      models: model === undefined ? [] : [model],
    });
    if (!isBatch) return { provider, sent: file };
    const spender = await identity.spender(caller, userId);
    const modelOf = (name: string) => {
      const target = targetsOf(router, name).find((one) => one.provider.name === provider.name);
      const found = target
        ? { key: target.key, name: target.model }
        : { key: `${provider.name}:${name}`, name };
      identity.requireModel(spender, router.resolve(target ? name : found.key).alias ?? found.key);
      return found;
    };
    const { pieces, plan } = await planBatch(file.pieces, { tokenCounter, assumedOutputTokens, modelOf });
    const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
    return { provider, sent: { ...file, pieces, bytes }, plan };
  };

  return {
    upload: async (request, form) =>
      await calls.within(async (set) => {
        const file = requiredFile(form, 'file');
        const { caller, signal } = request;
        const { user } = await identity.spender(caller, request.user);
        const { provider, sent, plan } = await prepare(set, request, form, file, user.userId);
        const fields = new Map([...form.fields].filter(([name]) => !OWN_FIELDS.has(name)));
        const boundary = `gateway-${randomBytes(12).toString('hex')}`;
        const body = writeForm({ fields, files: [sent] }, boundary);
        const length = body.reduce((sum, piece) => sum + piece.length, 0);
        const headers = {
          'content-type': `multipart/form-data; boundary=${boundary}`,
          'content-length': String(length),
        };
        const answer = await provider.objects.call({ method: 'POST', path: '/files', body, headers, signal });
        if (isFailed(answer)) throw answer.failure.error;
        await objects.add({
          kind: 'file',
          id: requiredId(answer.json),
          provider: provider.name,
          userId: user.userId,
          keyId: keyIdOf(caller),
          model: plan?.model ?? null,
          createdAt: Math.floor(clock.now()),
          content: answer.json,
          plan,
          held: undefined,
        });
        return answer.bytes;
      }),
    async list(request, page) {
      const found = await objects.list('file', viewerOf(request), page);
      return { objects: found.slice(0, page.limit), hasMore: found.length > page.limit };
    },
    async get(request, id) {
      const object = await objects.require('file', id, viewerOf(request));
      const { signal } = request;
      const { bytes, json } = await calls.call(object, { method: 'GET', path: pathOf(id), signal });
      await objects.update(object, json);
      return bytes;
    },
    async content(request, id) {
      const object = await objects.require('file', id, viewerOf(request));
      const headers = { accept: '*/*' };
      const path = `${pathOf(id)}/content`;
      return await calls.open(object, { method: 'GET', path, headers, signal: request.signal });
    },
    async delete(request, id) {
      const object = await objects.require('file', id, viewerOf(request));
      // The cost of a batch is in its output.
      await settler.beforeDelete(id);
      const { bytes } = await calls.call(object, {
        method: 'DELETE',
        path: pathOf(id),
        signal: request.signal,
      });
      await objects.delete(object);
      return bytes;
    },
  };
}

const pathOf = (id: string): string => `/files/${encodeURIComponent(id)}`;

export function requiredId({ id }: Readonly<Record<string, unknown>>): string {
  if (typeof id === 'string' && id !== '') return id;
  throw new AppError('UpstreamError', 'The provider stored an object without an id.', {
    reason: 'provider_error',
  });
}

/** The model of the first request of a batch; undefined if it has none. Other problems are reported when all are read. */
function firstModel({ pieces }: FormFile): string | undefined {
  for (const line of linesIn(pieces)) {
    const [, text] = /"model"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(line.toString('utf8')) ?? [];
    return text === undefined ? undefined : String(parseJsonText(text));
  }
  return undefined;
}
