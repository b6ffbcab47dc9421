import type { Admission } from '../../accounts/ledger/ledger.ts';
import type { ObjectCall } from '../../providers/adapters/other-calls.ts';
import type { Passed } from '../../providers/shapes/passed.ts';
import { pass } from './pass.ts';

/** A request about an object that contains nothing written by users, e.g. a request for its state. */
export const withoutContent = (
  call: ObjectCall & { readonly body?: undefined },
  _admission: Admission,
): Passed<ObjectCall> => pass<ObjectCall>(call);

/** A request that only contains settings that models do not read. */
export const onlySettings = (call: ObjectCall, _admission: Admission): Passed<ObjectCall> => pass(call);
