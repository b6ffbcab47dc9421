import { suggest } from '#core/text/suggest.ts';
import { type Invocation, type Option, UsageError } from '#serve/cli/command.ts';
import { commonOptions } from '#serve/cli/common-options.ts';
import { printJson, printLines, stdoutTerminal, printText } from '#serve/cli/terminal.ts';
import { formatTable } from '#serve/cli/table.ts';
import { listOption, requiredNumber } from '#serve/cli/values.ts';
import {
  type UsageFilter,
  type UsageGrouping,
  type UsageInterval,
  USAGE_GROUPINGS,
  USAGE_INTERVALS,
  type UsageReports,
  type UsageTotals,
} from '../accounts/ledger/usage-api.ts';
import { usageZoneProblem } from '../accounts/ledger/usage-zones.ts';
import { usedModels, withoutProvider } from '../accounts/ledger/used-models.ts';
import { usageGroupView, usageLogView, usagePointView, usageTotalsView } from '../api/views/records.ts';
import { USAGE_STATUSES } from '../shared/record-words.ts';
import type { UsageRow } from '../store/schema.ts';
import { findKey } from './store/find-account.ts';
import { pastRangeOf } from './options/time-options.ts';
import { formatDollars, formatSecond, orDash, formatTime, statusCell } from './show/format-values.ts';
import { findOne } from './store/find-one.ts';
import { type StoreContext, storeCommand } from './store/store-command.ts';

const USAGE_OPTIONS = {
  user: { value: 'user_id', help: 'Only requests from this user' },
  key: { value: 'id|name|prefix', help: 'Only requests with this key' },
  team: { value: 'team_id', help: 'Only requests from this team' },
  org: { value: 'organization_id', help: 'Only requests from this organization' },
  model: { value: 'model', help: 'Only requests to this model; the provider prefix can be omitted' },
  provider: { value: 'name', help: 'Only requests to this provider' },
  endpoint: { value: 'path', help: 'Only requests to this route, e.g. /v1/chat/completions' },
  status: { value: 'status', help: 'Only requests with this outcome', choices: USAGE_STATUSES },
  'request-id': { value: 'id', help: 'Only the request with this X-Request-Id' },
  'end-user': { value: 'name', help: 'Only requests with this client-side user ID' },
  tag: { value: 'tag', help: 'Only requests with this tag' },
  from: { value: 'time', help: 'Start: a duration before now, e.g. 24h, or a date, e.g. 2026-01-31' },
  to: { value: 'time', help: 'End, exclusive: a duration before now, e.g. 1h, or a date, e.g. 2026-02-28' },
  'group-by': {
    value: 'words',
    help: `Aggregate by one or more of ${USAGE_GROUPINGS.join(', ')}, comma-separated`,
  },
  interval: { value: 'length', help: 'Aggregate over time', choices: USAGE_INTERVALS },
  'time-zone': { value: 'zone', help: 'Time zone of --interval, e.g. Europe/Berlin', defaultText: 'UTC' },
  ...commonOptions({ limit: { help: 'Maximum number of requests or groups', fallback: '20' } }),
  csv: { help: 'Print all matching requests as CSV, oldest first' },
} satisfies Readonly<Record<string, Option>>;

/** Parses the filters. The key is parsed separately, because it must be looked up in the database. */
const filterOf = (invocation: Invocation, now: number): Omit<UsageFilter, 'keyId'> => ({
  userId: invocation.value('user'),
  teamId: invocation.value('team'),
  organizationId: invocation.value('org'),
  model: invocation.value('model'),
  provider: invocation.value('provider'),
  endpoint: invocation.value('endpoint'),
  status: USAGE_STATUSES.find((known) => known === invocation.value('status')),
  requestId: invocation.value('request-id'),
  endUser: invocation.value('end-user'),
  tag: invocation.value('tag'),
  ...pastRangeOf(invocation, now),
});

/** The requested report format. */
type UsageShape =
  | { readonly kind: 'requests' }
  | { readonly kind: 'csv' }
  | { readonly kind: 'groups'; readonly by: readonly UsageGrouping[] }
  | { readonly kind: 'series'; readonly interval: UsageInterval; readonly timeZone: string | undefined };

function shapeOf(invocation: Invocation): UsageShape {
  const by = listOption(invocation, 'group-by').map(groupingOf);
  const interval = USAGE_INTERVALS.find((known) => known === invocation.value('interval'));
  const timeZone = invocation.value('time-zone');
  const shapes: UsageShape[] = [
    ...(invocation.flag('csv') ? [{ kind: 'csv' } as const] : []),
    ...(by.length > 0 ? [{ kind: 'groups', by } as const] : []),
    ...(interval ? [{ kind: 'series', interval, timeZone } as const] : []),
  ];
  if (timeZone !== undefined && !interval) throw new UsageError('--time-zone requires --interval.');
  const problem = timeZone === undefined ? undefined : usageZoneProblem(timeZone);
  if (problem !== undefined) throw new UsageError(`--time-zone: ${problem}`);
  if (shapes.length > 1)
    throw new UsageError('--group-by, --interval and --csv are mutually exclusive; use only one of them.');
  if (invocation.flag('csv') && invocation.flag('json'))
    throw new UsageError('--csv conflicts with --json; use one of them.');
  return shapes[0] ?? { kind: 'requests' };
}

function groupingOf(word: string): UsageGrouping {
  const known = USAGE_GROUPINGS.find((grouping) => grouping === word);
  if (known) return known;
  const suggestion = suggest(word, USAGE_GROUPINGS);
  const hint = suggestion === undefined ? '' : ` Did you mean ${suggestion}?`;
  throw new UsageError(
    `--group-by: ${JSON.stringify(word)} is not one of ${USAGE_GROUPINGS.join(', ')}.${hint}`,
  );
}

type Groups = Awaited<ReturnType<UsageReports['groups']>>;
type Points = Awaited<ReturnType<UsageReports['series']>>;

/** The requested page of usage, and the totals over all matching requests. */
type UsageReport = { readonly totals: UsageTotals } & (
  | { readonly kind: 'requests'; readonly rows: readonly UsageRow[] }
  | { readonly kind: 'groups'; readonly by: readonly UsageGrouping[]; readonly groups: Groups }
  | { readonly kind: 'series'; readonly points: Points }
);

async function readReport(
  usage: UsageReports,
  filter: UsageFilter,
  shape: Exclude<UsageShape, { readonly kind: 'csv' }>,
  limit: number,
): Promise<UsageReport> {
  const totals = await usage.totals(filter);
  const page = { skip: 0, limit };
  if (shape.kind === 'requests') return { kind: 'requests', totals, rows: await usage.list(filter, page) };
  if (shape.kind === 'series') {
    return {
      kind: 'series',
      totals,
      points: await usage.series(filter, shape.interval, { timeZone: shape.timeZone }),
    };
  }
  const { by } = shape;
  return { kind: 'groups', totals, by, groups: await usage.groups(filter, by, page) };
}

/** Formats a table with one line per request. */
const requestLines = (rows: readonly UsageRow[]): string[] =>
  rows.length === 0 ? [] : formatTable(COLUMNS, rows.map(rowOf), stdoutTerminal());

const COLUMNS = ['TIME', 'USER', 'MODEL', 'ENDPOINT', 'STATUS', 'IN', 'OUT', 'COST', 'MS'];

const rowOf = (row: UsageRow): Parameters<typeof formatTable>[1][number] => [
  formatSecond(row.timestamp),
  orDash(row.user_id),
  row.model,
  row.endpoint,
  statusCell(row),
  tokens(row.prompt_tokens, row),
  tokens(row.completion_tokens, row),
  row.cost_nano === null ? '-' : formatDollars(row.cost_nano),
  orDash(row.latency_ms),
];

/** Marks estimated counts, which the provider did not report, with `~`. */
const tokens = (count: number | null, { estimated }: UsageRow): string =>
  count === null ? '-' : `${estimated === 1 ? '~' : ''}${count}`;

interface TotalRow {
  /** What the totals are grouped by, for example user and model. */
  readonly labels: readonly string[];
  readonly totals: UsageTotals;
}

/** Formats a table with one line per group and one for the total. */
function totalLines(heads: readonly string[], groups: readonly TotalRow[], all: UsageTotals): string[] {
  const rows = [...groups, { labels: heads.map((_, index) => (index === 0 ? 'total' : '')), totals: all }];
  // Most usage has no cached prompts.
  const hasWrites = rows.some(({ totals }) => totals.cacheWriteTokens > 0);
  const hasSavings = rows.some(({ totals }) => totals.cacheSaved !== 0n);
  const optional = (isShown: boolean, cell: string): string[] => (isShown ? [cell] : []);
  const [written, saved] = [optional(hasWrites, 'WRITTEN'), optional(hasSavings, 'SAVED')];
  return formatTable(
    [...heads, 'REQUESTS', 'ERRORS', 'IN', 'CACHED', ...written, 'OUT', 'COST', ...saved],
    rows.map(({ labels, totals }) => [
      ...labels,
      String(totals.requests),
      String(totals.errors),
      String(totals.promptTokens),
      String(totals.cachedTokens),
      ...optional(hasWrites, String(totals.cacheWriteTokens)),
      String(totals.completionTokens),
      costText(totals, '-'),
      ...optional(hasSavings, formatDollars(totals.cacheSaved)),
    ]),
    stdoutTerminal(),
  );
}

/** Returns `unknown` if none of the requests had a price. */
const costText = ({ cost, unpriced }: UsageTotals, unknown: string): string =>
  cost === 0n && unpriced > 0 ? unknown : formatDollars(cost);

/** Formats totals as a sentence. */
function totalSentence(totals: UsageTotals): string {
  const requests = `${totals.requests} request${totals.requests === 1 ? '' : 's'}`;
  const tokens = `${totals.promptTokens} tokens in, ${totals.completionTokens} out`;
  const cancelled = totals.cancelled > 0 ? `, ${totals.cancelled} cancelled` : '';
  return `Total: ${requests}, ${totals.errors} failed${cancelled}, ${tokens}, ${costText(totals, 'cost unknown')}.`;
}

function showReport(report: UsageReport, { output, json }: Pick<StoreContext, 'output' | 'json'>): void {
  if (json) printJson(output, reportView(report));
  else printLines(output, reportLines(report));
}

/** Returns a report as JSON, in the HTTP API's format. */
function reportView(report: UsageReport): Record<string, unknown> {
  const totals = usageTotalsView(report.totals);
  if (report.kind === 'requests') return { totals, logs: report.rows.map((row) => usageLogView(row, true)) };
  if (report.kind === 'series') return { totals, series: report.points.map(usagePointView) };
  return { totals, groups: report.groups.map((group) => usageGroupView(report.by, group)) };
}

/** Formats a report as lines of text. */
function reportLines(report: UsageReport): string[] {
  const { totals } = report;
  if (report.kind === 'requests') return [...requestLines(report.rows), totalSentence(totals)];
  if (report.kind === 'series') {
    const rows = report.points.map(({ start, ...sums }) => ({ labels: [formatTime(start)], totals: sums }));
    return totalLines(['FROM'], rows, totals);
  }
  const rows = report.groups.map(({ group, ...sums }) => ({
    labels: group.map((label) => label ?? '-'),
    totals: sums,
  }));
  const heads = report.by.map((word) => word.toUpperCase());
  return totalLines(heads, rows, totals);
}

export const usageCommand = storeCommand({
  summary: 'Show usage, per request or aggregated.',
  options: USAGE_OPTIONS,
  prepare(invocation) {
    const named = filterOf(invocation, Date.now());
    const shape = shapeOf(invocation);
    const limit = requiredNumber(invocation, 'limit', { min: 1, max: 100_000 });
    const key = invocation.value('key');
    return async (context) => {
      const { state, output, json } = context;
      const keyId = key === undefined ? undefined : (await findKey(state.identity.keys, key)).id;
      const model = named.model === undefined ? undefined : await findUsedModel(state.usage, named.model);
      const filter = { ...named, keyId, model };
      if (shape.kind === 'csv') return await printCsv(filter, context);
      const report = await readReport(state.usage, filter, shape, limit);
      showReport(report, { output, json });
    };
  },
});

async function printCsv(filter: UsageFilter, { state, output }: StoreContext): Promise<void> {
  for await (const line of state.usage.csv(filter)) printText(output, line);
}

/** Finds a model's full name in the usage. Throws if there is none, or if the name is ambiguous. */
async function findUsedModel(usage: UsageReports, text: string): Promise<string> {
  const { matching, all } = await usedModels(usage, text);
  const [model] = matching;
  return model !== undefined && matching.length === 1 ? model : findOne(text, all, USED_MODELS);
}

const USED_MODELS = {
  kind: 'model in the usage',
  list: 'gateway usage --group-by model',
  idOf: (model: string) => model,
  namesOf: (model: string) => [withoutProvider(model)],
};
