import { configError } from '../../../runtime/contract/errors.ts';
import { ACCEPTED_LICENSES, isAcceptedLicense } from './accepted-licenses.ts';

/** Refuses a package whose license is missing, not SPDX, or not one that allows executables to be passed on. */
export function checkLicense(title: string, license: unknown): asserts license is string {
  if (typeof license === 'string' && isAcceptedLicense(license)) return;
  const shown = license === undefined ? 'no license' : `the license ${JSON.stringify(license)}`;
  throw configError(
    `Cannot build with ${title}: its package.json has ${shown}, and only packages with these can be part of an executable: ` +
      `${ACCEPTED_LICENSES.join(', ')}. Replace the package, or accept its license in cli/build/notices/accepted-licenses.ts.`,
  );
}
