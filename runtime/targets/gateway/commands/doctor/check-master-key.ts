import { type Finding, note, ok } from '../../../../serve/cli/doctor/finding.ts';

/** A short one is told with the configuration. */
export const checkMasterKey = (key: string | undefined): Finding =>
  key === undefined
    ? note(
        'master key',
        'there is none, so the routes that administer answer 503; set GATEWAY_MASTER_KEY to use them',
      )
    : ok('master key', `${key.length} characters`);
