import { formatUsd } from '../../components/format.ts'

const WHOLE = 100
/** From here on the bar warns. */
const NEAR = 0.8

const looks = { reached: 'bg-failed', near: 'bg-queued', within: 'bg-completed' } as const

const budgetState = (share: number): keyof typeof looks => {
  if (share >= 1) return 'reached'
  return share >= NEAR ? 'near' : 'within'
}

type Props = {
  label: string
  spentUsd: number
  /** 0: no budget. */
  budgetUsd: number
  /** Follows the sum: `spent this month`. */
  spentText: string
}

/** What was spent in the present month, beside its budget. */
export const BudgetMeter = ({ label, spentUsd, budgetUsd, spentText }: Props) => {
  const spent = formatUsd(spentUsd)
  if (budgetUsd === 0)
    return (
      <p>
        <span className="font-medium">{spent}</span>{' '}
        <span className="text-muted-foreground">{spentText}, without a budget</span>
      </p>
    )
  const share = spentUsd / budgetUsd
  const state = budgetState(share)
  const ofBudget = `of ${formatUsd(budgetUsd)} ${spentText}`
  return (
    <div className="flex flex-col gap-1.5">
      <p>
        <span className="font-medium">{spent}</span> <span className="text-muted-foreground">{ofBudget}</span>
      </p>
      {/* biome-ignore lint/a11y/useSemanticElements: the browser's own ignores the theme. */}
      <div
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={WHOLE}
        aria-valuenow={Math.min(WHOLE, Math.round(share * WHOLE))}
        aria-valuetext={`${spent} ${ofBudget}`}
        className="h-2 overflow-hidden rounded-full bg-muted"
      >
        <div className={`h-full ${looks[state]}`} style={{ width: `${Math.min(1, share) * WHOLE}%` }} />
      </div>
      {state === 'reached' && (
        <p role="status" className="font-medium text-failed">
          The budget is used up. New runs and chats wait until next month or a higher budget.
        </p>
      )}
    </div>
  )
}
