import { taskFailure } from './task-failure.ts'

export const COST_LIMIT_TEXT = 'The task has reached its cost limit'

/** The failure of a run at its cost limit: another attempt would spend as much again. */
export const costLimitReached = () => taskFailure('forbidden', 'cost_limit_reached', COST_LIMIT_TEXT, false)

/** Whether no further call of a model may begin. */
export const isCostLimitReached = (usd: number | null | undefined, limitUsd: number | undefined): boolean =>
  limitUsd !== undefined && (usd ?? 0) >= limitUsd
