import { printText } from '#serve/cli/terminal.ts';
import { UsageError } from '#serve/cli/command.ts';
import { formatOf } from '#serve/cli/output-format.ts';
import { EXIT_FAILED } from '#serve/errors/exit-code.ts';
import { ASSERTION_OPTIONS } from './assertion-options.ts';
import { experimentCommand } from './experiment-command.ts';
import { FORMAT_OPTION } from './format-option.ts';

export const compareExperimentCommand = experimentCommand({
  summary: 'Compare the results of an experiment’s models. Exits with 1 if an assertion fails.',
  options: {
    file: { short: 'f', value: 'file', help: 'Experiment file with the assertions to check' },
    ...ASSERTION_OPTIONS,
    ...FORMAT_OPTION,
  },
  prepare(invocation) {
    const format = formatOf(invocation);
    const [path, baseline, junit] = ['file', 'baseline', 'junit'].map((name) => invocation.value(name));
    if (junit !== undefined && path === undefined)
      throw new UsageError('--junit requires --file, whose assertions it reports.');
    return async ({ client, path: route, id, output }) => {
      const { readExperimentFile } = await import('./experiment-file.ts');
      const { reportAssertions } = await import('./report-assertions.ts');
      const { validateAssertions } = await import('./assertions.ts');
      const file = path === undefined ? { name: id, assertions: [] } : await readExperimentFile(path);
      if ('workflows' in file) {
        const names = file.workflows.map(({ name }) => name);
        validateAssertions(file.assertions, names, baseline !== undefined);
      }
      printText(output, await client.text(`${route}/compare?format=${format}`));
      const started = { id, refused: [] };
      const options = { file, started, baseline, junit, isMarkdown: format === 'markdown' };
      return (await reportAssertions(client, options, output)) ? 0 : EXIT_FAILED;
    };
  },
});
