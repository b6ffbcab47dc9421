import { shareServices, type StartService, useServices } from '../shared-services.ts';
import type { GatewayFiles } from './arms.ts';

/** Gateways that the tests of a file share; they are stopped after its last test. */
export const shareGateways = (): StartService<GatewayFiles> => shareServices();

/** Gateways for a single test; they are stopped after it. */
export const useGateways = (): StartService<GatewayFiles> => useServices();
