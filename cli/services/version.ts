import { ownVersion } from '../adapters/own-files.ts';

export const version = (): { name: string; version: string } => ({
  name: 'encoderfile',
  version: ownVersion(),
});
