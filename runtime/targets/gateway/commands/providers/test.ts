import { providersOf } from './providers-of.ts';
import { configError } from '#contract/errors.ts';
import type { Command } from '#serve/cli/command.ts';
import { JSON_OPTION } from '#serve/cli/output-format.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { STORE_OPTIONS } from '../../config/options.ts';

/** `providers test` sends a request from this process, so the gateway need not run. */
export const testProviderCommand: Command = {
  summary: 'Check that a provider answers and accepts its key. Exits with 1 if not.',
  positionals: '<name>',
  options: { ...JSON_OPTION, ...STORE_OPTIONS },
  async run(invocation, output) {
    const [name] = exactly(invocation, '<name>');
    // Imported after parsing, because help and invalid command lines need neither the database nor the network.
    const { withState } = await import('../store/with-state.ts');
    const { openProviders } = await import('../doctor/open-providers.ts');
    const { checkProvider } = await import('../doctor/check-provider.ts');
    const { createRedactor } = await import('#serve/redact.ts');
    const { showFindings } = await import('#serve/cli/doctor/show-findings.ts');
    const found = await withState(
      invocation,
      async (state, config) => {
        const { value, problem } = await (await providersOf({ state, config })).get(name);
        if (!value) throw configError(`Provider '${name}' cannot be used: ${problem ?? 'it is invalid.'}`);
        const stored = config.fileModels.withStored(await state.modelEntries.read());
        return { value, secrets: [...config.secrets, ...stored.secrets] };
      },
      { needsMasterKey: true },
    );
    const { opened, findings } = openProviders([found.value]);
    try {
      const checked = await Promise.all(opened.map(checkProvider));
      // Messages of providers can repeat a key that was sent to them.
      const { text } = createRedactor(found.secrets);
      const all = [...findings, ...checked.map(({ finding }) => finding)];
      const shown = all.map((finding) => ({ ...finding, message: text(finding.message) }));
      return showFindings(shown, invocation.flag('json'), output);
    } finally {
      await Promise.all(opened.map(async ({ provider }) => await provider.close()));
    }
  },
};
