import type { Ledger } from '../../accounts/ledger/ledger.ts';
import type { Objects, StoredObject } from '../../accounts/objects/objects.ts';
import { createdItems } from '../../providers/references.ts';
import type { AnswerSummary } from '../../providers/streams/stream.ts';
import { providerOf, type Admitted, type Outcome } from './settle-request.ts';

interface StoredParts {
  readonly ledger: Pick<Ledger, 'keep'>;
  readonly objects: Pick<Objects, 'add' | 'addMissing'>;
}

interface StoredAnswer {
  readonly key: string;
  readonly summary: AnswerSummary;
  readonly providerKey: string | null;
  readonly id: string;
}

/** The response stored by the provider; undefined if the provider does not store the response. */
export function storedAnswer({ answered }: Outcome): StoredAnswer | undefined {
  const { key, summary, providerKey = null } = answered ?? {};
  return key !== undefined && summary?.stored
    ? { key, summary, id: summary.stored.id, providerKey }
    : undefined;
}

/**
 * Whether the provider is still working on the response, or was when the client disconnected. The usage
 * becomes known later.
 */
export const isUnfinished = ({ summary }: StoredAnswer, { error }: Outcome): boolean =>
  summary.stored?.isInBackground === true && (summary.stored.isQueued || error !== undefined);

/**
 * Records the user of a response stored by the provider. If the response is unfinished, the reservation is
 * kept until the response is billed.
 */
export async function recordStored(
  { ledger, objects }: StoredParts,
  admitted: Admitted,
  { key, id, summary, providerKey }: StoredAnswer,
  unfinished: { readonly endpoint: string } | undefined,
  now: number,
): Promise<void> {
  const { reservation, tokens, references } = admitted;
  const held = unfinished && (await ledger.keep(reservation));
  const object: StoredObject = {
    ...ownedBy(admitted, { key, providerKey }, now),
    kind: 'response',
    id,
    content: { id },
    plan: unfinished && {
      endpoint: unfinished.endpoint,
      model: key,
      requests: 1,
      inputTokens: tokens.counts.prompt(key),
      outputTokens: tokens.output,
      tags: reservation.spender.tags,
    },
    held,
  };
  // Some servers return the same ID for all responses, which must not cause finished responses to fail.
  if (held) await objects.add(object);
  // Objects that the request refers to existed before, and can belong to everyone.
  const { items = [] } = summary.stored ?? {};
  const created = createdItems(
    object,
    items.filter((item) => !references.has(item)),
  );
  await objects.addMissing(held ? created : [object, ...created]);
}

/**
 * Records the user as the owner of the objects that a provider created along with a response, e.g. the
 * container in which its code runs.
 */
export async function recordCreated(
  objects: Pick<Objects, 'addMissing'>,
  admitted: Admitted,
  { answered }: Outcome,
  now: number,
): Promise<void> {
  const created = answered?.summary?.created?.filter((id) => !admitted.references.has(id)) ?? [];
  if (!answered || created.length === 0) return;
  await objects.addMissing(createdItems(ownedBy(admitted, answered, now), created));
}

function ownedBy(
  { reservation: { spender } }: Admitted,
  {
    key: model,
    providerKey = null,
  }: { readonly key: string; readonly providerKey?: string | null | undefined },
  now: number,
) {
  const { user, data, key } = spender;
  return {
    provider: providerOf(model),
    providerKey,
    userId: user.userId,
    space: data.owner?.space ?? null,
    keyId: key?.id ?? null,
    model,
    createdAt: Math.floor(now),
  };
}
