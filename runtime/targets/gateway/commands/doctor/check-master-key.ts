import { type Finding, note, ok } from '../../../../serve/cli/doctor/finding.ts';

/** Reports a missing master key. One that is too short is a warning of the configuration. */
export const checkMasterKey = (key: string | undefined): Finding =>
  key === undefined
    ? note('master key', 'not set, so admin endpoints return 503; set GATEWAY_MASTER_KEY to use them')
    : ok('master key', `${key.length} characters`);
