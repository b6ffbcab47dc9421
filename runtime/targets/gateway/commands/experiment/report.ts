import { printText } from '#serve/cli/terminal.ts';
import { writeText } from '#platform/files/write-text.ts';
import { experimentCommand } from './experiment-command.ts';

export const experimentReportCommand = experimentCommand({
  summary: 'Write the results of an experiment as one HTML file that works without network access.',
  options: {
    output: { short: 'o', value: 'file', help: 'File to write, e.g. report.html (default: stdout)' },
    metric: { value: 'name', help: 'Metric of the plots and rows (default: the first one)' },
  },
  prepare(invocation) {
    const [file, metric] = [invocation.value('output'), invocation.value('metric')];
    return async ({ client, path, output }) => {
      const query = metric === undefined ? '' : `?metric=${encodeURIComponent(metric)}`;
      const report = await client.text(`${path}/report${query}`);
      if (file === undefined) {
        printText(output, report);
        return 0;
      }
      await writeText(file, report);
      output.err(`Report written to ${file}\n`);
      return 0;
    };
  },
});
