import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { machineLine } from '../measure/print.ts';
import { type BarGroup, barPlot } from '../plot/bars.ts';
import { PATHS } from '../setup/paths.ts';
import type { ServingResult } from './measure.ts';
import { type PeersResult, peerTables } from './summary.ts';

const [START, END] = ['<!-- peers: start -->', '<!-- peers: end -->'];

/** Writes tables and plots into the documentation, replacing those of an earlier run. */
export async function publish(result: PeersResult, versions: string): Promise<void> {
  const page = join(PATHS.docs, 'benchmarks.md');
  const text = await readFile(page, 'utf8');
  const [from, to] = [text.indexOf(START), text.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`${page} has no lines ${START} and ${END}`);
  await mkdir(join(PATHS.docs, 'plots'), { recursive: true });
  const plots = plotsOf(result);
  for (const { file, svg } of plots) await writeFile(join(PATHS.docs, 'plots', file), svg);
  const images = plots.map(({ file, title }) => `![${title}](plots/${file})`).join('\n\n');
  const day = new Date().toISOString().slice(0, 10);
  const block = `${day}. ${versions}\n\n${images}\n\n${peerTables(result)}\n\n${machineLine()}`;
  await writeFile(page, `${text.slice(0, from + START.length)}\n\n${block}\n\n${text.slice(to)}`);
}

function plotsOf({ facts, serving }: PeersResult): { file: string; title: string; svg: string }[] {
  const byScenario = (key: keyof ServingResult): BarGroup[] =>
    serving.map(({ title, rows }) => ({
      title,
      bars: rows.map((row) => ({ label: row.name, value: row[key], isOurs: row.isOurs })),
    }));
  const starts: BarGroup[] = [
    {
      title: 'one text by a new process',
      bars: facts.flatMap(({ peer, cold }) =>
        cold === undefined ? [] : [{ label: peer.name, value: cold, isOurs: peer.isOurs }],
      ),
    },
    {
      title: 'first answer of a server',
      bars: facts.map(({ peer }) => ({ label: peer.name, value: peer.firstAnswer, isOurs: peer.isOurs })),
    },
  ];
  return [
    {
      file: 'throughput.svg',
      title: 'Texts per second (more is better)',
      groups: byScenario('textsPerSecond'),
    },
    {
      file: 'processor-time.svg',
      title: 'Processor time per text in ms (less is better)',
      groups: byScenario('processorMs'),
    },
    { file: 'start.svg', title: 'Start in ms (less is better)', groups: starts },
  ].map(({ file, title, groups }) => ({ file, title, svg: barPlot(title, groups) }));
}
