import type { CommandGroup } from '#serve/cli/command.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { formatTable } from '#serve/cli/table.ts';
import { printJson, printLines, stdoutTerminal } from '#serve/cli/terminal.ts';
import { aliasView } from '../api/views/models.ts';
import { shadowView } from '../api/views/shadow.ts';
import { createShadowRegistry, type ShadowRegistry } from '../registry/shadow-registry.ts';
import { trialOfSettings } from '../requests/shadow/trial-plans.ts';
import { aliasesOf } from './aliases.ts';
import { orDash, recordLines } from './show/format-values.ts';
import { type StoreContext, storeCommand } from './store/store-command.ts';

type View = ReturnType<typeof shadowView>;

const registryOf = (context: StoreContext): ShadowRegistry => {
  const { shadowRecords: records } = context.state;
  return createShadowRegistry({
    aliases: aliasesOf(context),
    records,
    trialOf: (alias, settings) => trialOfSettings(records, alias, settings),
  });
};

const listCommand = storeCommand({
  summary: 'List shadow evaluations with their verdicts: those of aliases, then ended ones.',
  options: {},
  needsMasterKey: true,
  prepare: () => async (context) => {
    const views = (await registryOf(context).list()).map(shadowView);
    const { output, json } = context;
    if (json) printJson(output, views);
    else if (views.length === 0) output.err('There are no shadow evaluations. Set `shadow` of an alias.\n');
    else printLines(output, formatTable(COLUMNS, views.map(rowOf), stdoutTerminal()));
  },
});

const COLUMNS = ['ALIAS', 'CANDIDATE', 'REQUESTS', 'VERDICT', 'COST', 'P50'];

/** A difference with its sign. */
const signed = (value: number | null, digits: number): string =>
  value === null ? '-' : `${value > 0 ? '+' : ''}${value.toFixed(digits)}`;

const rowOf = (view: View): Parameters<typeof formatTable>[1][number] => [
  view.current ? view.alias : `${view.alias} (ended)`,
  view.candidate,
  String(view.rows),
  {
    text: view.problem ?? view.message,
    style: view.verdict === 'worse' || view.problem !== null ? 'red' : 'green',
  },
  signed(view.cost.difference, 6),
  view.latency_p50_ms.difference === null ? '-' : `${signed(view.latency_p50_ms.difference, 0)} ms`,
];

const getCommand = storeCommand({
  summary: 'Show the shadow evaluation of an alias: scores with intervals, costs and latencies.',
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

const linesOf = (view: View): string[] => [
  ...recordLines({
    alias: view.alias,
    candidate: view.candidate,
    verdict: view.problem ?? view.message,
    requests: `${view.rows}, of which the candidate failed ${view.failed}`,
    'cost per request': `${orDash(view.cost.baseline)} -> ${orDash(view.cost.candidate)} dollars`,
    'cost of judging': `${view.scoring_cost} dollars`,
    'median duration': `${orDash(view.latency_p50_ms.baseline)} -> ${orDash(view.latency_p50_ms.candidate)} ms`,
    '95th percentile': `${orDash(view.latency_p95_ms.baseline)} -> ${orDash(view.latency_p95_ms.candidate)} ms`,
    'not compared':
      Object.entries(view.skipped)
        .map(([reason, count]) => `${reason} ${count}`)
        .join(', ') || '-',
  }),
  '',
  ...formatTable(
    ['METRIC', 'REQUESTS', 'CURRENT', 'CANDIDATE', 'DIFFERENCE', 'INTERVAL', 'VERDICT'],
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
  summary: 'Show shadow evaluations of candidates, and promote candidates.',
  commands: { list: listCommand, get: getCommand, promote: promoteCommand },
};
