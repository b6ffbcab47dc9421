import { expect, test } from 'vitest';
import { parseInvocation } from '#serve/cli/parse.ts';
import { doctorCommand } from '#gateway/commands/doctor.ts';
import { checkConfig } from '#gateway/commands/doctor/check-config.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { runCommand } from './run-command.ts';

const folder = useTempFolder();

test('without the default configuration file, the output does not name the file', async () => {
  const before = process.cwd();
  process.chdir(folder());
  try {
    const check = await runCommand(['config', 'check'], { GROQ_API_KEY: 'g-key' });
    expect(check.out).toMatch(
      /^The configuration is valid\.\n {2}file +none; providers from the environment\n/,
    );
    const { findings } = await checkConfig(parseInvocation(doctorCommand, [], {}), { GROQ_API_KEY: 'g-key' });
    expect(findings).toMatchObject([{ message: 'no file; providers from the environment: groq' }]);
    expect(check.out).not.toContain('gateway.yml');
  } finally {
    process.chdir(before);
  }
});
