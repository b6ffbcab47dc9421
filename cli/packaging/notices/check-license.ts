import { configError } from '#contract/errors.ts';
import { ACCEPTED_LICENSES, isAcceptedLicense } from './accepted-licenses.ts';

/** Rejects a package whose license is missing, not an SPDX expression, or does not allow executables to be redistributed. */
export function checkLicense(title: string, license: unknown): asserts license is string {
  if (typeof license === 'string' && isAcceptedLicense(license)) return;
  const shown = license === undefined ? 'no license' : `the license ${JSON.stringify(license)}`;
  throw configError(
    `Cannot bundle ${title}: its package.json has ${shown}, but executables may only contain packages with these licenses: ` +
      `${ACCEPTED_LICENSES.join(', ')}. Replace the package, or accept its license in cli/packaging/notices/accepted-licenses.ts.`,
  );
}
