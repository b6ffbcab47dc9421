import { AppError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import type { Logger } from '#serve/log.ts';
import type { GatewayState } from '../../gateway-state.ts';
import type { Payer, Spender } from '../../accounts/identity/identity.ts';
import { openValidity } from '../../accounts/identity/watch-spender.ts';
import type { HeldAmount } from '../../accounts/ledger/ledger.ts';
import type { StoredObject, WorkPlan } from '../../accounts/objects/objects.ts';
import { estimateOf, pricesOf } from '../completions/estimate.ts';
import { textOrUndefined } from '#core/values/text-or-undefined.ts';
import { policyDigest } from '../policy/mcp-servers.ts';
import { onlySettings } from '../policy/without-content.ts';
import type { ModelSet } from '../models/model-set.ts';
import { referencesIn } from '../../providers/references.ts';
import { requiredId } from './files.ts';
import { keyIdOf, viewerOf, type ProviderCalls } from './provider-calls.ts';
import type { Settler } from './settler.ts';
import type { Batches, StoredRequest } from './stored.ts';

export interface BatchesParts {
  readonly state: Pick<GatewayState, 'identity' | 'objects' | 'ledger' | 'prices' | 'priceMaps'>;
  readonly calls: ProviderCalls;
  readonly settler: Settler;
  readonly clock: Clock;
  readonly log: Logger;
}

const OWN_MEMBERS = new Set(['user', 'model', 'provider', 'custom_llm_provider']);

export function createBatches({ state, calls, settler, clock, log }: BatchesParts): Batches {
  const { identity, objects, ledger } = state;

  /** Reserves the batch's maximum cost until the batch has been paid for. */
  const hold = async (
    { router, requirePricing: required, allowUnpriced }: ModelSet,
    { caller, callerAgain, signal: left }: StoredRequest,
    userId: string,
    { model, inputTokens: prompt, outputTokens: output }: WorkPlan,
  ) => {
    const spenderOf = async (payer: Payer): Promise<Spender> =>
      await identity.spender(payer, caller.kind === 'master' ? userId : undefined);
    const spender = await spenderOf(caller);
    const { alias, targets } = router.resolve(model);
    const prices = await pricesOf(state, targets, clock.now(), { required, isBatch: true });
    const estimate = estimateOf(prices, { prompt, output }, allowUnpriced);
    // A batch does not count towards the tokens-per-minute limits.
    const check = async (): Promise<void> =>
      identity.requireModel(
        await spenderOf(callerAgain ? await callerAgain() : caller),
        alias ?? targets[0]?.key ?? model,
      );
    const { signal, whileWaiting } = openValidity({ check, clock, signal: left });
    const reservation = await whileWaiting(() =>
      ledger.reserve(spender, { ...estimate, tokens: 0 }, undefined, { signal }),
    );
    try {
      // The credential can have expired since the last regular check.
      if (reservation.queuedMs !== undefined) await check();
    } catch (error) {
      await ledger.release(reservation);
      throw error;
    }
    return { held: await ledger.keep(reservation), admission: reservation };
  };

  const release = async (held: HeldAmount): Promise<void> => {
    try {
      await ledger.settleHeld(held);
    } catch (error) {
      // The reservation does not belong to a batch, so a later check releases it.
      log.error({ err: error }, 'batch budget not released');
    }
  };

  const refresh = async (request: StoredRequest, object: StoredObject) => {
    const { signal } = request;
    const answer = await calls.ask(request, object, { method: 'GET', path: pathOf(object.id), signal });
    await settler.seen(object, answer.json);
    return answer;
  };

  return {
    create: async (request, body) =>
      await calls.within(async (set) => {
        const { caller } = request;
        const fileId = textOrUndefined(body['input_file_id']) ?? '';
        const viewer = await viewerOf(identity, request);
        await objects.requireOwn(referencesIn(body).ids, viewer);
        const file = await objects.require('file', fileId, viewer);
        const { plan, provider, providerKey } = file;
        if (!plan)
          throw wrong(
            'input_file_id',
            `File '${fileId}' was not uploaded with purpose=batch. Upload it again.`,
          );
        if (body['endpoint'] !== plan.endpoint)
          throw wrong(
            'endpoint',
            `The requests of file '${fileId}' are for ${plan.endpoint}. Set endpoint to it.`,
          );
        requirePolicy(set, plan, fileId);
        const { userId, space } = file;
        const { held, admission } = await hold(set, request, userId, plan);
        const sent = Object.fromEntries(Object.entries(body).filter(([name]) => !OWN_MEMBERS.has(name)));
        const owned = { kind: 'batch', id: fileId, provider, providerKey } as const;
        const answer = await calls
          // Not canceled when the client disconnects: otherwise, the provider could have a batch that is
          // never paid for.
          .call(
            owned,
            onlySettings({ method: 'POST', path: '/batches', body: bytesOf(sent), signal: NEVER }, admission),
          )
          .catch(async (error: unknown) => {
            await release(held);
            throw error;
          });
        await objects.add({
          ...owned,
          id: requiredId(answer.json),
          userId,
          space,
          keyId: keyIdOf(caller),
          model: plan.model,
          createdAt: Math.floor(clock.now()),
          content: answer.json,
          plan,
          held,
        });
        return answer.bytes;
      }),
    async list(request, page) {
      const found = await objects.list('batch', await viewerOf(identity, request), page);
      const shown = found.slice(0, page.limit);
      // The state of unpaid batches may have changed.
      const fresh = await Promise.all(
        shown.map(async (object) => {
          if (!object.held) return object;
          try {
            return { ...object, content: (await refresh(request, object)).json };
          } catch {
            return object;
          }
        }),
      );
      return { objects: fresh, hasMore: found.length > page.limit };
    },
    async get(request, id) {
      const object = await objects.require('batch', id, await viewerOf(identity, request));
      return (await refresh(request, object)).bytes;
    },
    async cancel(request, id) {
      const object = await objects.require('batch', id, await viewerOf(identity, request));
      const path = `${pathOf(id)}/cancel`;
      const { bytes, json } = await calls.ask(request, object, {
        method: 'POST',
        path,
        signal: request.signal,
      });
      await settler.seen(object, json);
      return bytes;
    },
  };
}

/** Throws a ConflictError if a file's requests were checked by a different policy from the current one. */
function requirePolicy(set: ModelSet, { policy }: WorkPlan, fileId: string): void {
  const hasRules = set.guardrails.always.length > 0 || set.tools !== undefined;
  const isChecked = policy === policyDigest(set) || (policy === undefined && !hasRules);
  if (isChecked) return;
  throw new AppError(
    'ConflictError',
    `The guardrails or MCP servers have changed since file '${fileId}' was uploaded. Upload it again.`,
    { reason: 'policy_changed' },
  );
}

const NEVER = new AbortController().signal;
const bytesOf = (json: object): Uint8Array => Buffer.from(JSON.stringify(json));

const pathOf = (id: string): string => `/batches/${encodeURIComponent(id)}`;

const wrong = (name: string, message: string): AppError =>
  new AppError('MalformedError', message, { details: [{ location: `body.${name}`, message }] });
