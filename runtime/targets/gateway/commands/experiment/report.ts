import { writeFile } from 'node:fs/promises';
import { configError, messageOf } from '../../../../contract/errors.ts';
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
        output.out(report);
        return 0;
      }
      await writeFile(file, report).catch((error: unknown) => {
        throw configError(`Cannot write the report ${file}: ${messageOf(error)}`, error);
      });
      output.err(`Report written to ${file}\n`);
      return 0;
    };
  },
});
