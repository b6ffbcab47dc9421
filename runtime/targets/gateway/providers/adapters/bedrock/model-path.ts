import { withoutRegion } from '../../../shared/inference-profile.ts';
import { pathSegment } from '../path-segment.ts';

/** The path of an operation on a model. The name is encoded as a whole, because ARNs contain slashes and colons. */
export const modelPath = (model: string, operation: string): string =>
  `/model/${pathSegment(model)}/${operation}`;

/** The name without the region of an inference profile, and without the parts of an ARN before it. */
export const bareModel = (model: string): string => withoutRegion(model.replace(/^arn:.*\//, ''));

/** Whether a model has Anthropic's Messages API. The name of an application profile does not show it. */
export const isAnthropic = (model: string): boolean => bareModel(model).startsWith('anthropic.');
