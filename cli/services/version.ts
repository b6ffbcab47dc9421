import { ownVersion } from '../adapters/package-files.ts';

export const version = (): { name: string; version: string } => ({
  name: 'encoderfile',
  version: ownVersion(),
});
