import { useApprovalCount } from '../data/approvals.ts'

const MOST_SHOWN = 99

export const ApprovalBadge = () => {
  const count = useApprovalCount() ?? 0
  if (count === 0) return null
  return (
    <span className="ml-auto min-w-4.5 rounded-full bg-destructive px-1 text-center text-[0.6875rem] leading-4.5 font-semibold text-background">
      {count > MOST_SHOWN ? `${MOST_SHOWN}+` : count}
      <span className="sr-only"> waiting</span>
    </span>
  )
}
