import { shareServices, type StartService, useServices } from '../shared-services.ts';
import type { ManagerFiles } from './arms.ts';

/** Managers that the tests of a file share; they are stopped after its last test. */
export const shareManagers = (): StartService<ManagerFiles> => shareServices();

/** Managers that a test has for itself; they are stopped after it. */
export const useManagers = (): StartService<ManagerFiles> => useServices();
