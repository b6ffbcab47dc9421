import { parseJsonText } from '#core/json/json-text.ts';
import type { PriceTier, TokenPrice } from '../../shared/price.ts';
import { MAX_TIERS, RATE_FIELDS, TIER_FIELD } from './price-fields.ts';

/** The problem with a price's tiers, as one sentence; undefined if they are valid. */
export function tierProblem({ tiers = [], ...base }: TokenPrice): string | undefined {
  if (tiers.length > MAX_TIERS) return `The price has ${tiers.length} tiers; the maximum is ${MAX_TIERS}.`;
  for (const [index, tier] of tiers.entries()) {
    const above = tier.aboveTokens;
    if (!Number.isSafeInteger(above) || above < 1)
      return `tiers[${index}].${TIER_FIELD} is ${above}; it must be an integer of at least 1.`;
    if (tiers.findIndex(({ aboveTokens }) => aboveTokens === above) < index)
      return `Two tiers start above ${above} tokens; remove one of them.`;
    const missing = OPTIONAL_RATES.find((name) => isSet(base[name]) && !isSet(tier[name]));
    if (missing !== undefined)
      return `The tier above ${above} tokens has no ${RATE_FIELDS[missing]}, which is required because the price itself has one.`;
  }
  return undefined;
}

/** Without this rule, a tier without a cache read price would silently bill cache reads as other input. */
const OPTIONAL_RATES = ['cachedInput', 'cacheWrite', 'cacheWrite1h'] as const;

const isSet = (amount: bigint | null | undefined): boolean => amount !== null && amount !== undefined;

/** Tiers in ascending order. */
const sortedTiers = (tiers: readonly PriceTier[]): PriceTier[] =>
  tiers.toSorted((one, other) => one.aboveTokens - other.aboveTokens);

/** Tiers as text for the database; null if there are none. */
export const tiersToText = (tiers: readonly PriceTier[] | undefined): string | null =>
  tiers === undefined || tiers.length === 0
    ? null
    : JSON.stringify(
        // Amounts are strings, because JSON numbers would be rounded.
        sortedTiers(tiers).map(({ aboveTokens, ...rates }) => ({
          aboveTokens,
          ...Object.fromEntries(
            Object.entries(rates)
              .filter(([, amount]) => isSet(amount))
              .map(([name, amount]) => [name, String(amount)]),
          ),
        })),
      );

interface StoredTier extends Partial<Record<(typeof OPTIONAL_RATES)[number], string>> {
  readonly aboveTokens: number;
  readonly input: string;
  readonly output: string;
}

export function tiersFromText(text: string | null): PriceTier[] {
  const stored = text === null ? [] : parseJsonText(text);
  return Array.isArray(stored) ? stored.map(tierOf) : [];
}

const tierOf = ({ aboveTokens, input, output, ...optional }: StoredTier): PriceTier => ({
  aboveTokens,
  input: BigInt(input),
  output: BigInt(output),
  cachedInput: amountOrNull(optional.cachedInput),
  cacheWrite: amountOrNull(optional.cacheWrite),
  cacheWrite1h: amountOrNull(optional.cacheWrite1h),
});

const amountOrNull = (text: string | undefined): bigint | null => (text === undefined ? null : BigInt(text));
