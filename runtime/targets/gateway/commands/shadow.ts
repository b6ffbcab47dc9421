import type { CommandGroup } from '#serve/cli/command.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { formatTable } from '#serve/cli/table.ts';
import { printJson, printLines, stdoutTerminal } from '#serve/cli/terminal.ts';
import { aliasView } from '../api/views/models.ts';
import { shadowView } from '../api/views/shadow.ts';
import { createShadowRegistry, type ShadowRegistry } from '../registry/shadow-registry.ts';
import { trialOfSettings } from '../requests/shadow/trial-plans.ts';
import { aliasesOf } from './aliases.ts';
import { recordLines } from './show/format-values.ts';
import { type StoreContext, storeCommand } from './store/store-command.ts';

type View = ReturnType<typeof shadowView>;

const registryOf = (context: StoreContext): ShadowRegistry => {
  const { shadowRecords: records, identity } = context.state;
  return createShadowRegistry({
    aliases: aliasesOf(context),
    records,
    users: identity.users,
    trialOf: (alias, settings) => trialOfSettings(records, alias, settings),
    now: () => Date.now(),
  });
};

const listCommand = storeCommand({
  summary: 'List shadow evaluations and A/B tests with their verdicts: those of aliases, then ended ones.',
  options: {},
  needsMasterKey: true,
  prepare: () => async (context) => {
    const views = (await registryOf(context).list()).map(shadowView);
    const { output, json } = context;
    if (json) printJson(output, views);
    else if (views.length === 0)
      output.err('There are no shadow evaluations or A/B tests. Set `shadow` or `ab` of an alias.\n');
    else printLines(output, formatTable(COLUMNS, views.map(rowOf), stdoutTerminal()));
  },
});

const COLUMNS = ['ALIAS', 'MODE', 'CANDIDATE', 'REQUESTS', 'VERDICT', 'COST', 'P50'];

const STYLES = { not_worse: 'green', worse: 'red', undecided: 'yellow' } as const;

/** A difference with its sign. */
const signed = (value: number | null, digits: number): string =>
  value === null ? '-' : `${value > 0 ? '+' : ''}${value.toFixed(digits)}`;

const rowOf = (view: View): Parameters<typeof formatTable>[1][number] => [
  view.current ? view.alias : `${view.alias} (ended)`,
  view.mode,
  view.candidate,
  String(view.rows),
  {
    text: view.problem ?? view.message,
    style: view.problem === null ? STYLES[view.verdict] : 'red',
  },
  signed(view.cost.difference, 6),
  view.latency_p50_ms.difference === null ? '-' : `${signed(view.latency_p50_ms.difference, 0)} ms`,
];

const getCommand = storeCommand({
  summary:
    'Show the shadow evaluation or the A/B test of an alias: scores, costs and latencies with intervals.',
  positionals: '<alias>',
  options: {},
  needsMasterKey: true,
  prepare(invocation) {
    const [alias] = exactly(invocation, '<alias>');
    return async (context) => {
      const view = shadowView(await registryOf(context).get(alias));
      if (context.json) printJson(context.output, view);
      else printLines(context.output, linesOf(view));
    };
  },
});

const UNIT_NOUNS = { user: 'users', end_user: 'end users', session: 'sessions', key: 'keys' } as const;

/** Both values, and the interval of their difference. */
function comparisonText(
  { baseline, candidate, lower, upper }: View['cost'],
  unit: string,
  digits: number,
): string {
  const interval =
    lower === null || upper === null ? '' : ` (${signed(lower, digits)} to ${signed(upper, digits)})`;
  return `${numberText(baseline, digits)} -> ${numberText(candidate, digits)} ${unit}${interval}`;
}

const numberText = (value: number | null, digits: number): string =>
  value === null ? '-' : String(Number(value.toFixed(digits)));

const linesOf = (view: View): string[] => [
  ...recordLines({
    alias: view.alias,
    candidate: view.candidate,
    verdict: view.problem ?? view.message,
    requests: `${view.rows}, of which the candidate failed ${view.failed}`,
    ...(view.users && {
      [`${UNIT_NOUNS[view.by ?? 'user']} (current, candidate, waiting)`]: `${view.users.baseline}, ${view.users.candidate}, ${view.users.waiting}`,
    }),
    'cost per request': comparisonText(view.cost, 'dollars', 6),
    'cost of judging': `${view.scoring_cost} dollars`,
    'median duration': comparisonText(view.latency_p50_ms, 'ms', 0),
    '95th percentile': comparisonText(view.latency_p95_ms, 'ms', 0),
    'first output': comparisonText(view.first_output_p50_ms, 'ms', 0),
    ...(view.mode === 'ab' && { 'output tokens': comparisonText(view.output_tokens, 'tokens', 1) }),
    'not compared':
      Object.entries(view.skipped)
        .map(([reason, count]) => `${reason} ${count}`)
        .join(', ') || '-',
  }),
  '',
  ...formatTable(
    [
      'METRIC',
      view.mode === 'ab' ? 'USERS' : 'REQUESTS',
      'CURRENT',
      'CANDIDATE',
      'DIFFERENCE',
      'INTERVAL',
      'VERDICT',
    ],
    view.metrics.map((metric) => [
      metric.name,
      String(metric.rows),
      metric.baseline?.toFixed(3) ?? '-',
      metric.candidate?.toFixed(3) ?? '-',
      signed(metric.difference, 3),
      `${signed(metric.lower, 3)} to ${signed(metric.upper, 3)}`,
      metric.decides ? metric.verdict : `${metric.verdict} (does not decide)`,
    ]),
    stdoutTerminal(),
  ),
];

const promoteCommand = storeCommand({
  summary: 'Make the candidate of an alias its only target, and end the evaluation.',
  positionals: '<alias>',
  options: { force: { help: 'Promote the candidate whatever the verdict is' } },
  needsMasterKey: true,
  prepare(invocation) {
    const [alias] = exactly(invocation, '<alias>');
    const force = invocation.flag('force');
    return async (context) => {
      const view = aliasView(await registryOf(context).promote(alias, force));
      if (context.json) printJson(context.output, view);
      else context.output.out(`Alias ${alias} now has the target ${view.targets[0]?.model ?? ''}.\n`);
    };
  },
});

export const SHADOW_COMMANDS: CommandGroup = {
  summary: 'Show shadow evaluations and A/B tests of candidates, and promote candidates.',
  commands: { list: listCommand, get: getCommand, promote: promoteCommand },
};
