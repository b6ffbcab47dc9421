import { AppError } from '#contract/errors.ts';
import { didYouMean } from '#core/text/suggest.ts';
import { parseTimestamp } from '#core/time/timestamp.ts';
import { entriesOf } from '#core/values/keys.ts';
import { type Invocation, type Option, UsageError } from '#serve/cli/command.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { printJson, printLines, stdoutTerminal } from '#serve/cli/terminal.ts';
import { formatTable } from '#serve/cli/table.ts';
import type { Price, Prices } from '../../accounts/ledger/ledger.ts';
import { findModelKey, modelKeyOf } from '../../accounts/ledger/model-key.ts';
import { UNIT_FIELDS } from '../../accounts/ledger/price-units.ts';
import { EXTRA_RATES, type ListedModel, type ListedRates } from '../../accounts/price-map/listed-model.ts';
import { changesBetween } from '../../accounts/price-map/map-changes.ts';
import type { ListedPrice } from '../../accounts/price-map/price-map.ts';
import { pricingView, listedView } from '../../api/views/models.ts';
import { parseModel } from '../../shared/model-string.ts';
import { type Nanos, nanosOf } from '../../shared/money.ts';
import type { TokenPrice, TokenRates, UnitRates } from '../../shared/price.ts';
import { listAll } from '../../store/list-all.ts';
import { clearableValue, optionValue } from '../options/changes.ts';
import { amountRule, parseAmount } from '../options/limit-options.ts';
import { formatDollars, formatTime, printResult } from '../show/format-values.ts';
import { type StoreContext, storeCommand } from '../store/store-command.ts';
import { readMapSource } from './import.ts';
import { parseTier, parseUnits } from './read-price.ts';

/** Options for `pricing set`, in dollars per million tokens. */
const PRICE_OPTIONS = {
  input: { value: 'amount', help: 'Price per million input tokens, in dollars' },
  'cached-input': {
    value: 'amount',
    help: "Price of input tokens read from the provider's cache (default: --input)",
  },
  'cache-write': {
    value: 'amount',
    help: "Price of input tokens written to the provider's cache (for Anthropic, the 5-minute cache; default: --input)",
  },
  'cache-write-1h': {
    value: 'amount',
    help: "Price of input tokens written to the provider's cache for 1 hour (default: --cache-write)",
  },
  output: { value: 'amount', help: 'Price per million output tokens, in dollars' },
  tier: {
    value: 'prices',
    help: 'Prices above a prompt length, e.g. 200000:input=6,output=22.50,cached-input=0.60',
    repeatable: true,
  },
  unit: {
    value: 'name=amount',
    help: 'Price of units other than tokens, e.g. web-search=0.01, image=0.04 or image-output=40',
    repeatable: true,
  },
  effective: {
    value: 'date',
    help: 'When the price starts to apply, e.g. 2027-01-31 or 2027-01-31T12:00:00Z (default: now)',
  },
} satisfies Readonly<Record<string, Option>>;

const priceOf = (invocation: Invocation): TokenPrice => ({
  input: required(invocation, 'input'),
  output: required(invocation, 'output'),
  cachedInput: optional(invocation, 'cached-input'),
  cacheWrite: optional(invocation, 'cache-write'),
  cacheWrite1h: optional(invocation, 'cache-write-1h'),
  tiers: invocation.values('tier').map(parseTier),
  units: parseUnits(invocation.values('unit')),
});

const optional = (invocation: Invocation, name: 'cached-input' | 'cache-write' | 'cache-write-1h') =>
  clearableValue(invocation, name, { rule: amountRule, parse: parseAmount }) ?? null;

const effectiveOf = (invocation: Invocation): number | undefined =>
  optionValue(invocation, 'effective', {
    rule: 'a date, e.g. 2027-01-31, or a time with a time zone, e.g. 2027-01-31T12:00:00Z',
    parse: parseTimestamp,
  });

function required(invocation: Invocation, name: 'input' | 'output'): Nanos {
  const amount = optionValue(invocation, name, { rule: amountRule, parse: parseAmount });
  if (amount === undefined) throw new UsageError(`--${name} is required, in dollars per million tokens.`);
  return amount;
}

type Shown = Pick<StoreContext, 'output' | 'json'>;

function showPrice(price: Price, { output, json }: Shown): void {
  if (json) printJson(output, pricingView(price));
  else printLines(output, tableOf([price]));
}

function showPrices(prices: readonly Price[], { output, json }: Shown): void {
  if (json) printJson(output, prices.map(pricingView));
  else printLines(output, tableOf(prices));
}

/** Formats prices per million tokens, with a line per tier. Cache write columns only appear if a price has them. */
function tableOf(prices: readonly Price[]): string[] {
  const lines = prices.flatMap((price) => [
    {
      name: price.modelKey,
      rates: price,
      others: unitsText(price.units),
      since: formatTime(price.effectiveAt),
    },
    ...(price.tiers ?? []).map((tier) => ({
      name: `above ${tier.aboveTokens} tokens`,
      rates: tier,
      others: '',
      since: '',
    })),
  ]);
  const columns = COLUMNS.filter(
    ({ isOptional, rate }) => !isOptional || lines.some(({ rates }) => typeof rates[rate] === 'bigint'),
  );
  const hasOthers = lines.some(({ others }) => others !== '');
  return formatTable(
    ['MODEL', ...columns.map(({ head }) => head), ...(hasOthers ? ['OTHER'] : []), 'SINCE'],
    lines.map(({ name, rates, others, since }) => [
      name,
      ...columns.map(({ rate }) => amountText(rates[rate])),
      ...(hasOthers ? [others] : []),
      since,
    ]),
    stdoutTerminal(),
  );
}

const unitsText = (units: UnitRates = {}): string =>
  entriesOf(UNIT_FIELDS)
    .flatMap(([name, field]) => {
      const amount = units[name];
      const shown = field.replace(/_price(_per_million)?$/, '').replaceAll('_', ' ');
      return amount === undefined ? [] : [`${shown} ${formatDollars(amount)}`];
    })
    .join(', ');

interface Column {
  readonly head: string;
  readonly rate: keyof TokenRates;
  readonly isOptional?: boolean;
}

const COLUMNS: readonly Column[] = [
  { head: 'INPUT PER 1M', rate: 'input' },
  { head: 'CACHED INPUT', rate: 'cachedInput' },
  { head: 'CACHE WRITE', rate: 'cacheWrite', isOptional: true },
  { head: 'WRITE 1H', rate: 'cacheWrite1h', isOptional: true },
  { head: 'OUTPUT PER 1M', rate: 'output' },
];

const amountText = (amount: Nanos | null | undefined): string =>
  amount === null || amount === undefined ? '-' : formatDollars(amount);

/** Adds a suggestion to the error for a model without a price, because its name may be misspelled. */
async function withSuggestion<Result>(
  prices: Prices,
  modelKey: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'NotFoundError') throw error;
    const known = (await listAll(prices)).map((price) => price.modelKey);
    const hint = didYouMean(modelKey, known);
    throw new AppError(
      'NotFoundError',
      `There is no price for ${JSON.stringify(modelKey)}${hint || '.'} \`gateway pricing list\` shows all prices.`,
      { cause: error },
    );
  }
}

/** Published prices, in dollars per million tokens, with a line per tier and one for batches. */
function listedTable(prices: readonly ListedPrice[]): string[] {
  const lines = prices.flatMap(({ name, listed }) => [
    { name, rates: listed, others: othersOf(listed) },
    ...(listed.tiers ?? []).map((tier) => ({
      name: `above ${tier.above} tokens`,
      rates: { ...listed, ...tier } as ListedRates,
      others: '',
    })),
    ...(listed.batch ? [{ name: 'in batches', rates: listed.batch, others: '' }] : []),
  ]);
  return formatTable(
    ['MODEL', 'INPUT PER 1M', 'CACHED INPUT', 'CACHE WRITE', 'WRITE 1H', 'OUTPUT PER 1M', 'OTHER'],
    lines.map(({ name, rates, others }) => [
      name,
      ...[rates.input, rates.cached_input, rates.cache_write, rates.cache_write_1h, rates.output].map(
        dollars,
      ),
      others,
    ]),
    stdoutTerminal(),
  );
}

const dollars = (amount: number | undefined): string =>
  amount === undefined ? '-' : formatDollars(nanosOf(amount) ?? 0n);

const othersOf = (listed: ListedModel): string =>
  EXTRA_RATES.flatMap((name) => {
    const amount = listed[name];
    return amount === undefined ? [] : [`${name.replaceAll('_', ' ')} ${dollars(amount)}`];
  }).join(', ');

export const listPricesCommand = storeCommand({
  summary: 'List current prices, in dollars per million tokens.',
  options: {},
  prepare:
    () =>
    async ({ state, output, json }) => {
      const prices = await listAll(state.prices);
      if (prices.length === 0 && !json)
        output.err('There are no prices. Set one with `gateway pricing set`.\n');
      else showPrices(prices, { output, json });
    },
});

export const priceHistoryCommand = storeCommand({
  summary: 'List past, current and future prices of a model, newest first.',
  positionals: '<provider:model>',
  options: {},
  prepare(invocation) {
    const [model] = exactly(invocation, '<provider:model>');
    const modelKey = findModelKey(model);
    return async ({ state: { prices }, output, json }) =>
      showPrices(await withSuggestion(prices, modelKey, async () => await prices.history(modelKey)), {
        output,
        json,
      });
  },
});

export const showPriceCommand = storeCommand({
  summary: 'Show the price that applies to a model: your custom price, or the published one.',
  positionals: '<provider:model>',
  options: {},
  prepare(invocation) {
    const [model] = exactly(invocation, '<provider:model>');
    const modelKey = modelKeyOf(model);
    return async (context) => {
      const own = await ownPrice(context, modelKey);
      if (own) return showOwn(own, context);
      const listed = await listedPrice(context, modelKey);
      if (listed) return await showListed(listed, context);
      throw new AppError(
        'NotFoundError',
        `There is no price for ${JSON.stringify(modelKey)}. Set one with \`gateway pricing set\`, or find published ones with \`gateway pricing search\`.`,
      );
    };
  },
});

async function ownPrice({ state: { prices } }: StoreContext, modelKey: string): Promise<Price | undefined> {
  try {
    return await prices.get(modelKey);
  } catch (error) {
    if (error instanceof AppError && error.code === 'NotFoundError') return undefined;
    throw error;
  }
}

/** A provider that is not configured is looked up by name. */
async function listedPrice(
  { state, models }: StoreContext,
  modelKey: string,
): Promise<ListedPrice | undefined> {
  const name = parseModel(modelKey);
  if (!name) return undefined;
  const provider = models?.providers.find((one) => one.name === name.provider);
  const listedAs = provider && !('path' in provider) ? provider.listedAs : name.provider;
  return listedAs === undefined ? undefined : await state.priceMaps.find(listedAs, name.model);
}

function showOwn(price: Price, context: StoreContext): void {
  const { output, json } = context;
  if (json) printJson(output, { priced_by: 'own', ...pricingView(price) });
  else showPrice(price, context);
}

async function showListed(listed: ListedPrice, { state, output, json }: StoreContext): Promise<void> {
  const { date, source } = await state.priceMaps.current();
  if (json) printJson(output, { priced_by: `map ${date} ${listed.name}`, source, ...listedView(listed) });
  else printLines(output, [...listedTable([listed]), `Published price as of ${date}, from ${source}.`]);
}

export const searchPricesCommand = storeCommand({
  summary: 'List published prices of all models, or of models whose names contain the given text.',
  positionals: '[text]',
  options: {},
  prepare({ positionals }) {
    const [text = '', extra] = positionals;
    if (extra !== undefined) throw new UsageError(`Unexpected argument ${JSON.stringify(extra)}.`);
    return async ({ state: { priceMaps }, output, json }) => {
      const map = await priceMaps.current();
      const found = map.search(text);
      if (json) printJson(output, found.map(listedView));
      else if (found.length === 0)
        output.err(`No published price has a name that contains ${JSON.stringify(text)}.\n`);
      else printLines(output, [...listedTable(found), `Prices as of ${map.date}, from ${map.source}.`]);
    };
  },
});

export const setPriceCommand = storeCommand({
  summary: 'Set the price of a model, effective now or at a given time. Earlier prices stay in the history.',
  positionals: '<provider:model>',
  options: PRICE_OPTIONS,
  prepare(invocation) {
    const [model] = exactly(invocation, '<provider:model>');
    const price = {
      modelKey: modelKeyOf(model),
      ...priceOf(invocation),
      effectiveAt: effectiveOf(invocation),
    };
    return async ({ state, output, json }) => showPrice(await state.prices.set(price), { output, json });
  },
});

/** The map that LiteLLM publishes and maintains. */
const DEFAULT_SOURCE =
  'https://raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json';

/** `pricing update` replaces the whole price map, or nothing if the new one is invalid. */
export const updatePricesCommand = storeCommand({
  summary:
    'Replace the map of published prices with a newer one. Custom prices and recorded costs do not change.',
  options: {
    from: {
      value: 'file or url',
      help: 'A map in the gateway’s or LiteLLM’s format; - for standard input',
      defaultText: 'the map that LiteLLM publishes on GitHub',
    },
    bundled: { help: 'Remove the stored map, so that the built-in one applies' },
  },
  prepare(invocation) {
    exactly(invocation);
    const from = invocation.value('from');
    const bundled = invocation.flag('bundled');
    if (bundled && from !== undefined)
      throw new UsageError('--bundled conflicts with --from; use one of them.');
    return async ({ state: { priceMaps }, output, json }) => {
      const before = await priceMaps.current();
      if (bundled) await priceMaps.reset();
      else await priceMaps.store(await readMap(from ?? DEFAULT_SOURCE));
      const now = await priceMaps.current();
      const { date, source, size } = now;
      const changes = changesBetween(before, now);
      const { added, changed, removed } = changes;
      printResult(
        { output, json },
        { date, source, models: size, ...changes },
        `Using prices as of ${date} for ${size} models: ${added} new, ${changed} changed, ${removed} removed. Source: ${source}.`,
      );
    };
  },
});

async function readMap(from: string) {
  const text = await readMapSource(from);
  // The validator is imported here so that other commands start faster.
  const { readPriceMap } = await import('../../accounts/price-map/read-map.ts');
  return readPriceMap(text, from === '-' ? 'standard input' : from, new Date().toISOString().slice(0, 10));
}

export const deletePriceCommand = storeCommand({
  summary: 'Delete all prices of a model. Costs that are already recorded do not change.',
  positionals: '<provider:model>',
  options: {},
  prepare(invocation) {
    const [model] = exactly(invocation, '<provider:model>');
    const modelKey = findModelKey(model);
    return async ({ state: { prices }, output, json }) => {
      await withSuggestion(prices, modelKey, async () => await prices.delete(modelKey));
      printResult(
        { output, json },
        { model_key: modelKey, deleted: true },
        `Deleted the prices of ${modelKey}.`,
      );
    };
  },
});
