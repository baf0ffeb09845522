import type { Cost } from './cost.ts'
import { costText, dollarText } from './cost-text.ts'
import { taskFailure } from './task-failure.ts'

/** The highest cost limit that a task may state. */
export const HIGHEST_COST_LIMIT_USD = 1_000_000

export const COST_LIMIT_TEXT = 'The task has reached its cost limit'

/** The failure of a run at its cost limit: another attempt would spend as much again. */
export const costLimitReached = () => taskFailure('forbidden', 'cost_limit_reached', COST_LIMIT_TEXT, false)

type Limited = {
  readonly maxCostUsd?: number | undefined
  readonly cost?: Cost | undefined
  readonly costBefore?: number | undefined
}

/** What an attempt of a task may cost: the rest of the smaller limit, that of the task or of the installation. */
export const createCostLimit =
  (installationUsd = Number.POSITIVE_INFINITY) =>
  ({ maxCostUsd = Number.POSITIVE_INFINITY, cost, costBefore = 0 }: Limited): number | undefined => {
    const limitUsd = Math.min(maxCostUsd, installationUsd)
    return limitUsd === Number.POSITIVE_INFINITY ? undefined : limitUsd - ((cost?.usd ?? 0) - costBefore)
  }

/** The words for a run that has cost more than it was allowed, as where its last answer was dear; undefined for any other. */
export const overCostLimitText = (
  cost: Cost | undefined,
  limitUsd: number | undefined,
): string | undefined =>
  limitUsd === undefined || cost === undefined || (cost.usd ?? 0) <= limitUsd
    ? undefined
    : `The last response exceeded the cost limit. This attempt cost ${costText(cost)} of ${dollarText(limitUsd)}`

/** Whether no further call of a model may begin. */
export const isCostLimitReached = (usd: number | null | undefined, limitUsd: number | undefined): boolean =>
  limitUsd !== undefined && (usd ?? 0) >= limitUsd
