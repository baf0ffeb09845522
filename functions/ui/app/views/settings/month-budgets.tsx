import { useAnalytics } from '../../data/analytics.ts'
import type { Answer } from '../../data/settings.ts'
import { BudgetMeter } from './budget-meter.tsx'

/** What all have spent in the present month, beside the stored budget. */
export const InstallationBudget = ({ budget }: { budget: Answer['settings']['budget'] }) => {
  const month = useAnalytics().data?.month
  if (month === undefined) return <p className="text-muted-foreground">–</p>
  return (
    <BudgetMeter
      label="Monthly budget"
      spentUsd={month.costUsd}
      budgetUsd={budget.monthlyUsd}
      spentText="spent this month"
    />
  )
}

/** What this user has spent in the present month; nothing where users have no budget of their own. */
export const OwnBudget = () => {
  const own = useAnalytics().data?.month.own
  if (own?.budgetUsd === undefined) return null
  return (
    <BudgetMeter
      label="Your monthly budget"
      spentUsd={own.costUsd}
      budgetUsd={own.budgetUsd}
      spentText="spent by you this month"
    />
  )
}
