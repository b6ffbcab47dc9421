import { withEnvironment } from '../../../../serve/cli/values.ts';

/** Which gateway is asked. */
export const GATEWAY_OPTIONS_OF_CLIENTS = withEnvironment('GATEWAY', {
  url: { value: 'url', help: 'A gateway that runs, as http://127.0.0.1:8000' },
  'api-key': { value: 'key', help: 'A key of it, or its master key. Prefer the variable' },
});
