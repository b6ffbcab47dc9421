import { randomBytes } from 'node:crypto';
import { AppError, inputError } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import type { Clock } from '#platform/clock.ts';
import { requiredFile, writeForm, type Form, type FormFile } from '#serve/http/form.ts';
import type { GatewayState } from '../../gateway-state.ts';
import type { ObjectPlace, StoredObject, WorkPlan } from '../../accounts/objects/objects.ts';
import type { ForwardedStream } from '../../providers/streams/stream.ts';
import type { ModelSet } from '../models/model-set.ts';
import type { RequestMasks } from '../../accounts/objects/object-masks.ts';
import type { Spender, Caller } from '../../accounts/identity/identity.ts';
import type { Policy } from '../policy/policy.ts';
import { withoutContent } from '../policy/without-content.ts';
import { policyDigest } from '../policy/mcp-servers.ts';
import { screenFile } from '../policy/screen-file.ts';
import { derivedFrom, type Passed } from '../../providers/shapes/passed.ts';
import { screenOutput } from './batch-output.ts';
import { policyRequestOf, keyIdOf, viewerOf, type ProviderCalls } from './provider-calls.ts';
import { isFailed } from '../../providers/adapters/exchange.ts';
import type { Admission } from '../../accounts/ledger/ledger.ts';
import { referencesIn } from '../../providers/references.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import { linesIn, planBatch } from './plan-batch.ts';
import type { Settler } from './settler.ts';
import type { Files, NewStoredRequest, StoredRequest } from './stored.ts';
import { canUseProvider } from '../../accounts/identity/create-identity.ts';
import type { PolicedObjects, PolicedProvider, Router, Target } from '../routing/routing.ts';
import { requiredKeysOf } from '../routing/required-keys.ts';
import { storageSession } from '../routing/affinity.ts';
import { pushAll } from '#core/values/push-all.ts';

interface FilesParts {
  readonly state: Pick<GatewayState, 'identity' | 'objects' | 'objectMasks'>;
  readonly policy: Policy;
  readonly calls: ProviderCalls;
  readonly settler: Settler;
  readonly tokenCounter: TokenCounter;
  readonly clock: Clock;
}

/** Fields that are meant for the gateway or LiteLLM, not for the provider. */
const OWN_FIELDS = new Set(['user', 'model', 'provider', 'custom_llm_provider', 'target_model_names']);

export function createFiles({ state, policy, calls, settler, tokenCounter, clock }: FilesParts): Files {
  const { objects, objectMasks, identity } = state;

  /** Applies the policy to a batch's output; undefined if the policy has nothing to do. */
  const outputScreen = async (
    request: StoredRequest,
    { id, model }: StoredObject,
  ): Promise<((pieces: ForwardedStream) => ForwardedStream) | undefined> =>
    await calls.within(async ({ guardrails }) => {
      const masks = await objectMasks.find('file', id);
      if (masks.size === 0 && guardrails.always.length === 0) return undefined;
      const { caller } = request;
      const spender = caller.kind === 'key' ? await identity.spender(caller, undefined) : undefined;
      const about = { endpoint: '/v1/batches', spender, model: model ?? '', size: 0 };
      const asked = policyRequestOf(request, about, clock);
      return (pieces) =>
        screenOutput(pieces, { guardrails, masks, request: asked, hits: policy.hits(asked) });
    });

  /** The file for the provider and, for a batch, its maximum cost. */
  const prepare = async (
    set: ModelSet,
    request: NewStoredRequest,
    form: Form,
    file: FormFile,
    { spender, admission }: { readonly spender: Spender; readonly admission: Admission },
  ): Promise<{
    provider: StoringProvider;
    sent: Passed<FormFile>;
    plan?: WorkPlan;
    masks: readonly RequestMasks[];
    /** Where the objects are stored that the file refers to. */
    places: readonly ObjectPlace[];
  }> => {
    const { router, assumedOutputTokens } = set;
    const { caller, provider: named } = request;
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
    const about = { endpoint: '/v1/files', spender, model: model ?? '', size: file.bytes };
    if (!isBatch) {
      const content = { file, purpose: field('purpose') };
      const sent = await screenFile(
        policy,
        { ...policyRequestOf(request, about, clock), admission },
        content,
        set,
      );
      return { provider, sent, masks: [], places: [] };
    }
    const modelOf = (name: string) => {
      const target = targetsOf(router, name).find((one) => one.provider.name === provider.name);
      const found = target
        ? { key: target.key, name: target.model }
        : { key: `${provider.name}:${name}`, name };
      identity.requireModel(spender, router.resolve(target ? name : found.key).alias ?? found.key);
      return found;
    };
    const places: ObjectPlace[] = [];
    const planned = await planBatch(file.pieces, {
      tokenCounter,
      assumedOutputTokens,
      modelOf,
      policy: policyDigest(set),
      written: policy.written,
      requireOwn: async (ids) => pushAll(places, await objects.requireOwn(ids, spender.data.viewer)),
      async screen({ endpoint, body, bytes }) {
        const named = { ...about, endpoint, model: String(body['model']), size: bytes.length };
        // Response headers apply to a single request, but a file can contain many.
        const line = { ...policyRequestOf(request, named, clock), setHeader: () => undefined, admission };
        const screened = await policy.screen(line, { body, bytes }, set);
        screened.prompt?.end('', undefined, undefined);
        return screened;
      },
    });
    const { pieces } = planned.file;
    const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
    return { ...planned, provider, places, sent: derivedFrom(planned.file, { ...file, pieces, bytes }) };
  };

  return {
    upload: async (request, form) =>
      await calls.within(async (set) => {
        const file = requiredFile(form, 'file');
        const { caller, signal } = request;
        const spender = await identity.spender(caller, request.user);
        const { user, data } = spender;
        const inForm = referencesIn(Object.fromEntries(form.fields)).ids;
        const inFields = await objects.requireOwn(inForm, data.viewer);
        return await calls.admitted(request, async (admission) => {
          const asked = { spender, admission };
          const { provider, sent, plan, masks, places } = await prepare(set, request, form, file, asked);
          const fields = new Map([...form.fields].filter(([name]) => !OWN_FIELDS.has(name)));
          const { body, headers } = uploadOf(fields, sent);
          const requiredKeys = requiredKeysOf(set.router, [...inFields, ...places]);
          const session = storageSession(user.userId);
          const by = { session, requiredKeys, owner: user.userId };
          const call = { method: 'POST', path: '/files', body, headers, signal, ...by } as const;
          const answer = await provider.objects.call(derivedFrom(sent, call));
          if (isFailed(answer)) throw answer.failure.error;
          const id = requiredId(answer.json);
          await objectMasks.keep({ kind: 'file', id }, masks);
          await objects.add({
            kind: 'file',
            id,
            provider: provider.name,
            providerKey: answer.providerKey ?? null,
            userId: user.userId,
            space: data.owner?.space ?? null,
            keyId: keyIdOf(caller),
            model: plan?.model ?? null,
            createdAt: Math.floor(clock.now()),
            content: answer.json,
            plan,
            held: undefined,
          });
          return answer.bytes;
        });
      }),
    async list(request, page) {
      const found = await objects.list('file', await viewerOf(identity, request), page);
      return { objects: found.slice(0, page.limit), hasMore: found.length > page.limit };
    },
    async get(request, id) {
      const object = await objects.require('file', id, await viewerOf(identity, request));
      const { signal } = request;
      const { bytes, json } = await calls.ask(request, object, { method: 'GET', path: pathOf(id), signal });
      await objects.update(object, json);
      return bytes;
    },
    async content(request, id) {
      const object = await objects.require('file', id, await viewerOf(identity, request));
      const screen =
        object.content['purpose'] === 'batch_output' ? await outputScreen(request, object) : undefined;
      const { signal } = request;
      const headers = { accept: '*/*' };
      const path = `${pathOf(id)}/content`;
      const found = await calls.openFor(request, object, { method: 'GET', path, headers, signal });
      const { filename } = object.content;
      const opened = { ...found, filename: typeof filename === 'string' && filename !== '' ? filename : id };
      return screen ? { ...opened, pieces: screen(opened.pieces) } : opened;
    },
    async delete(request, id) {
      const object = await objects.require('file', id, await viewerOf(identity, request));
      return await calls.admitted(request, async (admission) => {
        // A batch's cost is determined from its output.
        await settler.beforeDelete(id);
        const call = { method: 'DELETE', path: pathOf(id), signal: request.signal } as const;
        const { bytes } = await calls.call(object, withoutContent(call, admission));
        await objects.delete(object);
        await objectMasks.delete(object);
        return bytes;
      });
    },
  };
}

/** The form data for an upload, and its length in bytes. */
function uploadOf(fields: Form['fields'], file: FormFile) {
  const boundary = `gateway-${randomBytes(12).toString('hex')}`;
  const body = writeForm({ fields, files: [file] }, boundary);
  const length = body.reduce((sum, piece) => sum + piece.length, 0);
  const headers = {
    'content-type': `multipart/form-data; boundary=${boundary}`,
    'content-length': String(length),
  };
  return { body, headers };
}

const pathOf = (id: string): string => `/files/${encodeURIComponent(id)}`;

export function requiredId({ id }: Readonly<Record<string, unknown>>): string {
  if (typeof id === 'string' && id !== '') return id;
  throw new AppError('UpstreamError', 'The provider stored an object without an ID.', {
    reason: 'provider_error',
  });
}

/**
 * The model in a batch's first request; undefined if it has none. Other problems are reported later, when
 * all requests are read.
 */
function firstModel({ pieces }: FormFile): string | undefined {
  for (const line of linesIn(pieces)) {
    const [, text] = /"model"\s*:\s*("(?:[^"\\]|\\.){0,1000}")/.exec(line.toString('utf8')) ?? [];
    return text === undefined ? undefined : String(parseJsonText(text));
  }
  return undefined;
}

type StoringProvider = PolicedProvider & { readonly objects: PolicedObjects };

interface Choice {
  readonly caller: Caller;
  /** The provider specified in the request. */
  readonly named: string | undefined;
  /** The model strings specified in the request. */
  readonly models: readonly string[];
}

/**
 * The provider that stores a new file: the one specified in the request, the one of the request's models,
 * or the only one that stores files and that the key can use. Throws an InputError if there is no such
 * provider, and a ForbiddenError if the key has access to none of its models.
 */
function storingProvider(router: Router, { caller, named, models }: Choice): StoringProvider {
  const usable = router.storing.filter((provider) => canUse(caller, provider));
  const names = (list: readonly PolicedProvider[]): string =>
    list.map(({ name }) => name).join(', ') || 'none';
  if (named !== undefined) {
    const found = router.provider(named);
    if (!found?.objects)
      throw wrong(`Provider '${shown(named)}' does not store files. Use one of: ${names(usable)}.`);
    if (!canUse(caller, found))
      throw new AppError('ForbiddenError', `Provider '${found.name}' is not allowed for this API key`, {
        reason: 'model_not_allowed',
      });
    return required(found);
  }
  const ofModels = new Set(
    models.flatMap((model) => targetsOf(router, model).map(({ provider }) => provider)),
  );
  const candidates = ofModels.size > 0 ? usable.filter((provider) => ofModels.has(provider)) : usable;
  const [only] = candidates;
  if (only && candidates.length === 1) return required(only);
  throw wrong(
    candidates.length === 0
      ? 'None of the providers that this API key can use stores files.'
      : `The gateway has several providers that store files: ${names(candidates)}. Specify one in the header X-Gateway-Provider.`,
  );
}

/**
 * The targets of a model string; empty if the string is invalid, because a batch can contain the provider's
 * own model names.
 */
function targetsOf(router: Router, model: string): readonly Target[] {
  try {
    return router.resolve(model).targets;
  } catch {
    return [];
  }
}

/** Whether a caller can use any of a provider's models. */
const canUse = (caller: Caller, { name }: Pick<PolicedProvider, 'name'>): boolean =>
  caller.kind === 'master' || canUseProvider(caller, name);

function required(provider: PolicedProvider): StoringProvider {
  const { objects } = provider;
  if (!objects) throw inputError(`Provider '${provider.name}' does not store files.`);
  return { ...provider, objects };
}

const shown = (name: string): string => name.slice(0, 100);

const wrong = (message: string): AppError =>
  new AppError('MalformedError', message, { reason: 'unsupported' });
