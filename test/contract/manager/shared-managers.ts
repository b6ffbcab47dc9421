import { shareServices, type StartService, useServices } from '../shared-services.ts';
import type { ManagerFiles } from './arms.ts';

/** Managers that the tests of a file share; they are stopped after its last test. */
export const shareManagers = (): StartService<ManagerFiles> => shareServices();

/** Managers for a single test; they are stopped after it. */
export const useManagers = (): StartService<ManagerFiles> => useServices();
