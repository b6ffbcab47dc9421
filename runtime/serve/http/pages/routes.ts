import type { Hono } from 'hono';
import { readSharedFile, SHARED_FILES } from './files.ts';
import { assetRoutes } from './page.ts';

/** Routes of the files that the pages of all programs share. */
export const sharedAssetRoutes = (): Hono => assetRoutes(SHARED_FILES, readSharedFile);
