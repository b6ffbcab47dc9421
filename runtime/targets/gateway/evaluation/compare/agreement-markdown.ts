import type { Estimate } from '../metrics/agreement/agreement.ts';
import type { ExperimentAgreement } from './experiment-agreement.ts';
import { plain, table, withInterval } from './markdown-table.ts';

const text = (estimate: Estimate | null): string =>
  estimate?.value === null || estimate === null ? '-' : withInterval(estimate.value, estimate.interval);

/** The agreement of raters as a Markdown report. */
export function agreementMarkdown({ level, raters, pairs, fleissKappa, alpha }: ExperimentAgreement): string {
  const nameOf = (at: number): string => plain(raters[at]?.name ?? '');
  const kappas = level === 'interval' ? [] : level === 'ordinal' ? KAPPAS : KAPPAS.slice(0, 1);
  const head = ['raters', 'rows', 'equal', ...kappas.map(({ title }) => title)];
  const rows = pairs.map((pair) => [
    `${nameOf(pair.raters[0])} - ${nameOf(pair.raters[1])}`,
    String(pair.rows),
    text(pair.equal),
    ...kappas.map(({ member }) => text(pair[member])),
  ]);
  const whole = [
    ["Krippendorff's alpha", text(alpha)],
    ...(fleissKappa === null ? [] : [["Fleiss' kappa", text(fleissKappa)]]),
  ];
  return [
    `# Agreement (${level})`,
    table(head, rows),
    table(['all raters', 'value'], whole),
    'Brackets show 95% confidence intervals (bootstrap over rows).',
  ]
    .join('\n\n')
    .concat('\n');
}

const KAPPAS = [
  { title: 'kappa', member: 'kappa' },
  { title: 'linear kappa', member: 'linearKappa' },
  { title: 'quadratic kappa', member: 'quadraticKappa' },
] as const;
