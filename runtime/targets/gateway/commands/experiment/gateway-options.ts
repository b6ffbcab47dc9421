import { commonOptions } from '../../../../serve/cli/common-options.ts';
import { withEnvironment } from '../../../../serve/cli/values.ts';

/** Which gateway is asked. */
export const GATEWAY_OPTIONS_OF_CLIENTS = withEnvironment(
  'GATEWAY',
  commonOptions({
    url: { help: 'URL of a running gateway, e.g. http://127.0.0.1:8000' },
    'api-key': {
      help: 'API key or master key of the gateway. Visible in the process list; prefer the variable',
    },
  }),
);
