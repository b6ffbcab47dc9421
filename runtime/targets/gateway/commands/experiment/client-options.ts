import { commonOptions } from '../../../../serve/cli/common-options.ts';
import { withEnvironment } from '../../../../serve/cli/values.ts';

/** Options of commands that call a running gateway. */
export const CLIENT_OPTIONS = withEnvironment(
  'GATEWAY',
  commonOptions({
    url: { help: 'URL of a running gateway, e.g. http://127.0.0.1:8000' },
    'api-key': {
      help: 'API key or master key of the gateway. Visible in the process list; prefer the variable',
    },
  }),
);
