import { commonOptions } from '#serve/cli/common-options.ts';
import { withEnvironment } from '#serve/cli/values.ts';

const URL_HELP = { help: 'URL of a running gateway, e.g. http://127.0.0.1:8000' };

/** The option for commands that call a running gateway without a key. */
export const URL_OPTION = withEnvironment('GATEWAY', commonOptions({ url: URL_HELP }));

/** Options for commands that call a running gateway. */
export const CLIENT_OPTIONS = withEnvironment(
  'GATEWAY',
  commonOptions({
    url: URL_HELP,
    'api-key': {
      help: 'API key or master key of the gateway. Visible in the process list; prefer the variable',
    },
  }),
);
