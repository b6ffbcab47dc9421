import { execute } from '@oclif/core';
import { repositoryFile } from './adapters/package-files.ts';

await execute({ dir: repositoryFile('package.json') });
