import type { Spender } from '../../accounts/identity/identity.ts';
import type { ObjectPlace } from '../../accounts/objects/objects.ts';
import type { Json } from '../../providers/shapes/chat.ts';
import type { ModelSet } from '../models/model-set.ts';
import {
  type AbTest,
  type Sender,
  unitOf,
  type Variant,
  variantOf,
  variantWithObjects,
} from '../routing/ab-tests.ts';
import { AFFINITY_DEFAULTS, sessionOf } from '../routing/affinity.ts';
import type { CompletionRequest, Endpoint } from './completion.ts';

/** The variant of an A/B test that responds to a request. */
export interface ChosenVariant {
  readonly test: AbTest;
  readonly variant: Variant;
  /** Hash of the unit; undefined if the request is not counted. */
  readonly unit: string | undefined;
  /** Why the request is not counted. */
  readonly reason?: string | undefined;
  /** The candidate's canonical name. */
  readonly candidate: string;
}

/** Response header with the variant that responds. */
export const VARIANT_HEADER = 'X-Gateway-Variant';

interface VariantParts {
  readonly set: ModelSet;
  readonly request: Pick<CompletionRequest, 'endpoint' | 'caller' | 'headers'>;
  readonly body: Json;
  readonly spender: Spender;
  readonly endUser: string | undefined;
  /** Where the objects that the request refers to are stored. */
  readonly places: readonly ObjectPlace[];
}

/**
 * Chooses the variant for a request to an alias with an A/B test. A request that does not belong to the test gets a
 * response from the alias's targets.
 */
export function chooseVariant(test: AbTest, parts: VariantParts): ChosenVariant {
  const { set, places } = parts;
  const { alias, settings } = test;
  const target = set.router.target(settings.model);
  const candidate = target.key;
  const reason = exclusionOf(parts);
  if (reason !== undefined) return { test, variant: 'current', unit: undefined, reason, candidate };
  const unit = unitOf(test, senderOf(parts));
  const variant = variantOf(unit, settings.share);
  if (places.length === 0) return { test, variant, unit, candidate };
  const placed = variantWithObjects(variant, places, target, set.router.resolve(alias).targets);
  if (placed === variant) return { test, variant, unit, candidate };
  return { test, variant: placed, unit: undefined, reason: 'stored', candidate };
}

/** Routes that generate text. The vectors of two models, for example, cannot be compared with each other. */
const TESTED: ReadonlySet<Endpoint> = new Set([
  '/v1/chat/completions',
  '/v1/completions',
  '/v1/messages',
  '/v1/responses',
  '/v1beta/models/{model}:generateContent',
  '/v1beta/models/{model}:streamGenerateContent',
]);

/** Why a request does not belong to a test; undefined if it does. */
function exclusionOf({ request, spender }: VariantParts): string | undefined {
  const { endpoint, caller } = request;
  if (!TESTED.has(endpoint)) return 'endpoint';
  // An experiment or a batch must not depend on who runs it.
  if (caller.kind === 'work') return 'job';
  const { user, groups } = spender;
  return [user, ...groups].some(({ noShadow }) => noShadow === true) ? 'forbidden' : undefined;
}

const senderOf = ({ request, body, spender, endUser, set }: VariantParts): Sender => {
  const user = spender.user.userId;
  const parts = { headers: request.headers, body, endUser, payer: user };
  return {
    user,
    key: spender.key?.id,
    endUser,
    session: sessionOf(parts, set.affinity ?? AFFINITY_DEFAULTS)?.id,
  };
};
