import { configError } from '#contract/errors.ts';
import type { Command } from '#serve/cli/command.ts';
import { configPaths } from '../config/config-paths.ts';
import { commonOptions } from '#serve/cli/common-options.ts';
import { CONFIG_OPTIONS } from './config-options.ts';
import { exactly } from '#serve/cli/positionals.ts';

/** `export`, also `config export`: writes the files needed to run the same servers in another environment. */
export const exportCommand: Command = {
  summary: 'Write a secrets file with variables in place of values, and a list of these variables.',
  options: {
    ...CONFIG_OPTIONS,
    'context-output': {
      value: 'file',
      help: 'Path of the secrets file',
      fallback: 'secrets.prod.toml',
    },
    'contract-output': { value: 'file', help: 'Path of the variable list', fallback: '.env' },
    format: {
      value: 'format',
      help: 'Format of the variable list',
      choices: ['dotenv'],
      fallback: 'dotenv',
    },
    ...commonOptions({ force: {} }),
  },
  async run(invocation, output) {
    exactly(invocation);
    const paths = configPaths(invocation, process.env);
    const [{ readServersText }, { readText }, { readConfigFile }, { readSecretsFile }, { problemsError }] =
      await Promise.all([
        import('../config/read-servers-text.ts'),
        import('#platform/read-text.ts'),
        import('../config/config-file.ts'),
        import('../config/secrets-file.ts'),
        import('../config/problems.ts'),
      ]);
    const config = readConfigFile(await readServersText(paths.config));
    const secrets = readSecretsFile(await readText(paths.runtime));
    const problems = [...config.problems, ...secrets.problems];
    if (problems.length > 0) throw problemsError(problems);
    const { exportSecrets } = await import('../config-edit/export-secrets.ts');
    const { refuseInput } = await import('#platform/files/refuse-input.ts');
    const { writeText } = await import('#platform/files/write-text.ts');
    const { context, contract } = exportSecrets(config.entries, secrets.servers);
    const files = [
      [invocation.value('context-output') ?? '', context],
      [invocation.value('contract-output') ?? '', contract],
    ] as const;
    const inputs = [
      { path: paths.config, role: 'the exported configuration file' },
      { path: paths.runtime, role: 'the exported secrets file' },
    ];
    for (const [path] of files) refuseInput(path, inputs);
    for (const [path] of invocation.flag('force') ? [] : files) {
      if (await readText(path))
        throw configError(`${path} already exists. Pass --force to replace it, or choose another file.`);
    }
    for (const [path, text] of files) await writeText(path, text);
    output.err(`Wrote ${files.map(([path]) => path).join(' and ')}.\n`);
    return 0;
  },
};
