import { formatUsd } from '../../components/format.ts'
import { useAnalytics } from '../../data/analytics.ts'
import type { Answer } from '../../data/settings.ts'

const WHOLE = 100
/** From here on the bar warns. */
const NEAR = 0.8

const looks = { reached: 'bg-failed', near: 'bg-queued', within: 'bg-completed' } as const

const budgetState = (share: number): keyof typeof looks => {
  if (share >= 1) return 'reached'
  return share >= NEAR ? 'near' : 'within'
}

/** What was spent in the present month, beside the stored budget. */
export const BudgetMeter = ({ budget: { monthlyUsd } }: { budget: Answer['settings']['budget'] }) => {
  const month = useAnalytics().data?.month
  if (month === undefined) return <p className="text-muted-foreground">–</p>
  const spent = formatUsd(month.costUsd)
  if (monthlyUsd === 0)
    return (
      <p>
        <span className="font-medium">{spent}</span>{' '}
        <span className="text-muted-foreground">spent this month, without a budget</span>
      </p>
    )
  const share = month.costUsd / monthlyUsd
  const state = budgetState(share)
  const text = `${spent} of ${formatUsd(monthlyUsd)} spent this month`
  return (
    <div className="flex flex-col gap-1.5">
      <p>
        <span className="font-medium">{spent}</span>{' '}
        <span className="text-muted-foreground">of {formatUsd(monthlyUsd)} spent this month</span>
      </p>
      {/* biome-ignore lint/a11y/useSemanticElements: the browser's own ignores the theme. */}
      <div
        role="meter"
        aria-label="Monthly budget"
        aria-valuemin={0}
        aria-valuemax={WHOLE}
        aria-valuenow={Math.min(WHOLE, Math.round(share * WHOLE))}
        aria-valuetext={text}
        className="h-2 overflow-hidden rounded-full bg-muted"
      >
        <div className={`h-full ${looks[state]}`} style={{ width: `${Math.min(1, share) * WHOLE}%` }} />
      </div>
      {state === 'reached' && (
        <p role="status" className="font-medium text-failed">
          The budget is used up: new runs wait for the next month or a higher budget.
        </p>
      )}
    </div>
  )
}
