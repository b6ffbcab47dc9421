import type { Candidates, Form } from './candidates.ts';
import type { ProductGroup } from './find-products.ts';
import { reasonAgainst, type Thresholds } from './thresholds.ts';
import type { Ids } from './trial.ts';

/** Time for the measurement of single groups, in milliseconds. */
const SEARCH_MS = 60_000;
/** Texts that single groups are measured on. */
const SEARCH_TEXTS = 8;
/** Forms are chosen with this share of the error that is allowed in the end, because other texts have other errors. */
const SHARE_OF_ERROR = 0.8;

export interface ChosenForm {
  readonly path: string;
  readonly form: Form;
}

/**
 * Chooses the fastest form of a model that is accurate enough: constant scales where they are exact enough; then a scale for each token;
 * then the products with the largest effect on the results in float32. Returns the most accurate one if none is.
 */
export async function chooseForm(
  candidates: Candidates,
  scalings: Form,
  texts: readonly Ids[],
  thresholds: Thresholds,
): Promise<ChosenForm> {
  const strict = {
    minCosine: stricter(thresholds.minCosine),
    minAgreement: stricter(thresholds.minAgreement),
  };
  const attempt = async (form: Form): Promise<ChosenForm & { readonly passes: boolean }> => {
    const path = await candidates.write(form);
    return {
      path,
      form,
      passes: reasonAgainst(await candidates.accuracy(path, texts), strict) === undefined,
    };
  };
  const fastest = await attempt(scalings);
  if (fastest.passes) return fastest;
  const byToken: Form = new Map([...scalings.keys()].map((group) => [group, { kind: 'token' }]));
  let last = await attempt(byToken);
  const sensitive = last.passes ? [] : await mostSensitive(candidates, byToken, texts);
  for (let count = 1; !last.passes && count <= sensitive.length / 3; count *= 2) {
    const kept = new Set(sensitive.slice(0, count));
    last = await attempt(new Map([...byToken].filter(([group]) => !kept.has(group))));
  }
  return last;
}

/** Groups by their effect on the results, the largest first. Groups that there was no time for are last. */
async function mostSensitive(
  candidates: Candidates,
  form: Form,
  texts: readonly Ids[],
): Promise<ProductGroup[]> {
  const few = texts.slice(0, SEARCH_TEXTS);
  const end = performance.now() + SEARCH_MS;
  const drifts: { readonly group: ProductGroup; readonly drift: number }[] = [];
  for (const [group, scaling] of form) {
    const isLate = performance.now() > end;
    const alone = isLate ? undefined : await candidates.write(new Map([[group, scaling]]), new Map());
    drifts.push({ group, drift: alone === undefined ? 0 : await candidates.drift(alone, few) });
  }
  return drifts.sort((a, b) => b.drift - a.drift).map(({ group }) => group);
}

const stricter = (threshold: number): number => 1 - (1 - threshold) * SHARE_OF_ERROR;
