import type { Command } from '#serve/cli/command.ts';
import { JSON_OPTION } from '#serve/cli/output-format.ts';
import { formatTable } from '#serve/cli/table.ts';
import { printJson, printLines, stdoutTerminal } from '#serve/cli/terminal.ts';
import { BENCHMARKS } from '../../evaluation/datasets/benchmarks/benchmarks.ts';

export const listBenchmarksCommand: Command = {
  summary: 'List the benchmarks with their packages and licenses.',
  options: JSON_OPTION,
  async run(invocation, output) {
    const all = Object.entries(BENCHMARKS).map(([name, { title, source, license, rows, package: from }]) => ({
      name,
      title,
      source,
      license,
      rows,
      package: `${from.name} ${from.version}`,
    }));
    if (invocation.flag('json')) printJson(output, all);
    else {
      const rows = all.map((one) => [one.name, String(one.rows), one.license, one.package, one.title]);
      printLines(
        output,
        formatTable(['NAME', 'ROWS', 'LICENSE', 'PACKAGE', 'TITLE'], rows, stdoutTerminal()),
      );
    }
    return 0;
  },
};
