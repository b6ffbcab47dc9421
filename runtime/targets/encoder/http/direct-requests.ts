import { createDirectListener, type DirectListener, type DirectRoute } from '#serve/http/direct-route.ts';
import type { Kernel } from '#serve/kernel.ts';
import type { AnswerExchange } from './run-model.ts';

/** Handles common requests of the model without the HTTP framework: the answers of `answers`, by path. The app handles all others. */
export const directRequests = (
  kernel: Kernel,
  { maxBodyBytes, hostRules }: Pick<DirectRoute, 'maxBodyBytes' | 'hostRules'>,
  answers: Readonly<Record<string, AnswerExchange>>,
): DirectListener =>
  createDirectListener(
    kernel,
    Object.entries(answers).map(([route, answer]): DirectRoute => ({
      route,
      path: new RegExp(`^${route}$`),
      maxBodyBytes,
      hostRules,
      answer: ({ exchange }) => answer(exchange),
    })),
  );
